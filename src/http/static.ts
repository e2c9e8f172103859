import { STATIC_ROUTES } from '../rest/system-routes.ts'
import { escapeHtml, json, type Reply } from './reply.ts'
import { bind, type Route } from './route.ts'

export interface StaticOptions {
  readonly deviceId: string
  readonly shortId: string
  readonly version: string
}

/** What a browser finds until there is a graphical interface: an honest page, and the facts that scripts ask for. */
export function staticRoutes(options: StaticOptions): readonly Route[] {
  const page = startPage(options)
  const facts = metadata(options)
  return bind(STATIC_ROUTES, {
    'GET /': () => page,
    'GET /index.html': () => page,
    'GET /meta.js': () => facts,
    'GET /themes.json': () => json({ themes: ['default'] }),
  })
}

/** Only those who were let in get this far. */
function metadata({ deviceId, shortId }: StaticOptions): Reply {
  const facts = JSON.stringify({ authenticated: true, deviceID: deviceId, deviceIDShort: shortId })
  return { status: 200, contentType: 'application/javascript', body: `var metadata = ${facts};\n` }
}

function startPage({ shortId, version }: StaticOptions): Reply {
  const body = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Twinfold ${escapeHtml(shortId)}</title>
</head>
<body>
<h1>Twinfold is running</h1>
<p>Device ${escapeHtml(shortId)}, version ${escapeHtml(version)}.</p>
<p>There is no graphical interface in this version yet. Use the command <code>twinfold</code>, or the REST interface
that programs for Syncthing know: <a href="/api">it describes itself</a>.</p>
</body>
</html>
`
  return {
    status: 200,
    contentType: 'text/html; charset=utf-8',
    headers: {
      'Cache-Control': 'no-cache, must-revalidate',
      'Content-Security-Policy': "default-src 'self'; frame-ancestors 'self'",
    },
    body,
  }
}
