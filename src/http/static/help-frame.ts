import { escapeHtml } from '../pipeline/reply.ts'

export interface HelpPage {
  readonly title: string
  /** Links to its parts, as HTML. */
  readonly links: readonly string[]
  /** What stands above the parts, as HTML. */
  readonly head: string
  readonly body: string
  readonly current: 'manual' | 'api'
}

/** The frame of the pages beside the web page: the same bar and colours, and the way back. */
export function helpFrame({ title, links, head, body, current }: HelpPage): string {
  const mark = (name: HelpPage['current']) => (name === current ? ' aria-current="page"' : '')
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – Twinfold</title>
<link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="/api/style.css">
</head>
<body>
<nav class="bar" aria-label="Twinfold">
<a class="brand" href="/"><img src="/assets/icon.svg" alt="" width="22" height="22">Twinfold</a>
<a href="/">Overview</a>
<a href="/manual"${mark('manual')}>Manual</a>
<a href="/api"${mark('api')}>REST interface</a>
</nav>
<header>
${head}
<nav aria-label="Contents">${links.join('\n')}</nav>
</header>
<main>
${body}
</main>
</body>
</html>
`
}

/** The colours of the web page (gui/style/tokens.css). */
export const HELP_STYLE = `:root { color-scheme: light dark; --line: light-dark(#dfe2e8, #2e3340);
--ground: light-dark(#f6f7f9, #12141a); --paper: light-dark(#ffffff, #1a1d25); --sunk: light-dark(#eef0f4, #232732);
--text: light-dark(#1a1d24, #eceef3); --text-soft: light-dark(#555c6b, #a6adbc);
--accent: light-dark(#4338ca, #a5a1fb); --good: light-dark(#15703a, #63cd8b); --wait: light-dark(#8a5300, #f0b45a);
--bad: light-dark(#b3201f, #ff8f8a); }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; background: var(--ground); color: var(--text); }
.bar { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: center; gap: 0 1.25rem;
min-height: 56px; padding: 0 1.5rem; background: var(--paper); border-bottom: 1px solid var(--line); }
.bar a { padding: .4rem 0; color: var(--text); text-decoration: none; }
.bar a:hover { text-decoration: underline; }
.bar a[aria-current] { color: var(--accent); font-weight: 600; }
.bar .brand { display: inline-flex; gap: .5rem; align-items: center; font-weight: 700; margin-right: 1rem; }
header, main { max-width: 60rem; margin: 0 auto; padding: 1rem 1.5rem; }
header nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
header nav a { padding: .2rem 0; }
a { color: var(--accent); }
header nav a[aria-current] { font-weight: 600; color: var(--text); text-decoration: none; }
h1 { font-size: 1.4rem; } h1 a { color: inherit; text-decoration: none; }
h2 { margin-top: 2rem; border-bottom: 1px solid var(--line); font-size: 1.2rem; }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
details { background: var(--paper); border: 1px solid var(--line); border-radius: 6px; margin: .4rem 0;
padding: .4rem .8rem; }
summary { cursor: pointer; }
summary span { display: block; color: var(--text-soft); }
summary b { display: inline-block; min-width: 4.5rem; }
.get { color: var(--accent); } .post { color: var(--good); } .put, .patch { color: var(--wait); }
.delete { color: var(--bad); }
code, pre { font: 14px/1.4 ui-monospace, monospace; }
pre { background: var(--sunk); border-radius: 6px; padding: .6rem; overflow-x: auto; }
table { border-collapse: collapse; } td, th { padding: .15rem .8rem .15rem 0; vertical-align: top; text-align: left; }
input, button { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line);
border-radius: 6px; padding: .35rem .7rem; }
a:focus-visible, summary:focus-visible, input:focus-visible, button:focus-visible { outline: 2px solid var(--accent);
outline-offset: 2px; }
`
