import { DESCRIPTION_ROUTES } from '../../rest/description-routes.ts'
import { JSON_TYPE, type Reply } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'

/** The page has no scripts and no external resources, and the policy enforces that. */
const POLICY = "default-src 'self'; script-src 'none'; frame-ancestors 'self'"

/**
 * The description of the interface. It is rarely requested, so its code is loaded by the first request; the replies are
 * cached.
 */
export function descriptionRoutes(version: string): readonly Route[] {
  const document = once(async (): Promise<Reply> => {
    const { openApi } = await import('../../rest/openapi.ts')
    // Without line breaks: it is long and read by programs.
    return { status: 200, contentType: JSON_TYPE, body: `${JSON.stringify(openApi(version))}\n` }
  })
  const page = once(async (): Promise<Reply> => {
    const { apiPage } = await import('./api-page.ts')
    const headers = { 'Cache-Control': 'no-cache, must-revalidate', 'Content-Security-Policy': POLICY }
    return { status: 200, contentType: 'text/html; charset=utf-8', headers, body: apiPage(version) }
  })
  const style = once(async (): Promise<Reply> => {
    const { HELP_STYLE } = await import('../static/help-frame.ts')
    return { status: 200, contentType: 'text/css; charset=utf-8', body: HELP_STYLE }
  })
  return bind(DESCRIPTION_ROUTES, {
    'GET /rest/openapi.json': document,
    'GET /api/openapi.json': document,
    'GET /api': page,
    'GET /api/style.css': style,
  })
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
