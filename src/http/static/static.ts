import { STATIC_ROUTES } from '../../rest/system-routes.ts'
import type { HttpRequest } from '../../platform/http.ts'
import type { GuiFiles } from './gui-files.ts'
import { chapterHtml, contentsHtml, parseManual, type Manual } from './manual.ts'
import { acceptedLanguages } from './languages.ts'
import { escapeHtml, json, NOT_FOUND, type Reply } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'

export interface StaticOptions {
  readonly deviceId: string
  readonly shortId: string
  readonly version: string
}

/** The languages of the page. */
const LANGUAGES: ReadonlySet<string> = new Set(['en', 'de', 'es', 'fr', 'zh'])

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** The web page and its files, or a note where they were not built. */
export function staticRoutes(files: GuiFiles, options: StaticOptions): readonly Route[] {
  const facts = metadata(options)
  const page = async ({ request }: { readonly request: HttpRequest }) => {
    const text = await files.page()
    return html(text === undefined ? barePage(options) : inLanguage(text, request))
  }
  return bind(STATIC_ROUTES, {
    'GET /': page,
    'GET /index.html': page,
    'GET /manual': ({ query }) => manualPage(files, (manual) => contentsHtml(manual, query.first('q') ?? '')),
    'GET /manual/:id': ({ id }) => manualPage(files, (manual) => chapterHtml(manual, id)),
    'GET /assets/:id': ({ id, request }) => asset(files, id, request),
    'GET /meta.js': () => facts,
    'GET /themes.json': () => json({ themes: ['default'] }),
  })
}

async function manualPage(files: GuiFiles, show: (manual: Manual) => string | undefined): Promise<Reply> {
  const text = await files.manual()
  const body = text === undefined ? undefined : show(parseManual(text))
  return body === undefined ? NOT_FOUND : html(body)
}

/** Only authenticated requests reach this. */
function metadata({ deviceId, shortId }: StaticOptions): Reply {
  const facts = JSON.stringify({ authenticated: true, deviceID: deviceId, deviceIDShort: shortId })
  return { status: 200, contentType: 'application/javascript', body: `var metadata = ${facts};\n` }
}

function html(body: string): Reply {
  return {
    status: 200,
    contentType: 'text/html; charset=utf-8',
    headers: {
      'Cache-Control': 'no-cache, must-revalidate',
      'Content-Security-Policy':
        "default-src 'self'; base-uri 'none'; form-action 'self'; object-src 'none'; frame-ancestors 'self'",
      'Referrer-Policy': 'no-referrer',
      Vary: 'Accept-Language',
    },
    body,
  }
}

/** Adds the best language of `Accept-Language` that the page has; the page applies it. */
function inLanguage(page: string, request: HttpRequest): string {
  const wanted = acceptedLanguages(request.headers['accept-language']).map((code) => code.split('-')[0] ?? '')
  const language = wanted.find((code) => LANGUAGES.has(code)) ?? 'en'
  return page.replace('<html lang="en">', `<html lang="${language}">`)
}

/** Names contain a hash of the content, except the icon's, so that browsers may cache them. */
async function asset(files: GuiFiles, name: string, request: HttpRequest): Promise<Reply> {
  const contentType = TYPES[name.slice(name.lastIndexOf('.') + 1)]
  const file = contentType === undefined ? undefined : await files.asset(name)
  if (contentType === undefined || file === undefined) return NOT_FOUND
  const small = file.compressed !== undefined && /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  return {
    status: 200,
    contentType,
    headers: {
      'Cache-Control': /-[\w-]{8}\.\w+$/.test(name) ? 'max-age=31536000, immutable' : 'no-cache',
      Vary: 'Accept-Encoding',
      ...(small && { 'Content-Encoding': 'gzip' }),
    },
    body: small ? file.compressed! : file.bytes,
  }
}

function barePage({ shortId, version }: StaticOptions): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Twinfold ${escapeHtml(shortId)}</title>
</head>
<body>
<h1>Twinfold is running</h1>
<p>Device ${escapeHtml(shortId)}, version ${escapeHtml(version)}.</p>
<p>The web page was not built: run <code>npm run build</code> in the repository and load this page again. Until then
there are the command <code>twinfold</code> and the REST interface, which <a href="/api">describes itself</a>.</p>
</body>
</html>
`
}
