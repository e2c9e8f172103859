import { DESCRIPTION_ROUTES } from '../../rest/description-routes.ts'
import { JSON_TYPE, type Reply } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'

/** The page has neither scripts nor anything from elsewhere, and the browser is told to insist on that. */
const POLICY = "default-src 'self'; script-src 'none'; frame-ancestors 'self'"

/**
 * The interface told about itself. Few ask, so nothing of it is loaded before somebody does; from then on the answers
 * are kept.
 */
export function descriptionRoutes(version: string): readonly Route[] {
  const document = once(async (): Promise<Reply> => {
    const { openApi } = await import('../../rest/openapi.ts')
    // Without line breaks: nobody reads it as it is, and it is long.
    return { status: 200, contentType: JSON_TYPE, body: `${JSON.stringify(openApi(version))}\n` }
  })
  const page = once(async (): Promise<Reply> => {
    const { apiPage } = await import('./api-page.ts')
    const headers = { 'Cache-Control': 'no-cache, must-revalidate', 'Content-Security-Policy': POLICY }
    return { status: 200, contentType: 'text/html; charset=utf-8', headers, body: apiPage(version) }
  })
  const style = once(async (): Promise<Reply> => {
    const { API_STYLE } = await import('./api-page.ts')
    return { status: 200, contentType: 'text/css; charset=utf-8', body: API_STYLE }
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
