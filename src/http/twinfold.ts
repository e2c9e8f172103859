import { TWINFOLD_ROUTES } from '../rest/twinfold-routes.ts'
import { text, type Reply } from './reply.ts'
import { bind, type Route } from './route.ts'

/** What the page of the device asks, which Syncthing's interface has no answer to. */
export function twinfoldRoutes(): readonly Route[] {
  const later = (): Reply => text(501, 'not here yet')
  return bind(TWINFOLD_ROUTES, {
    'GET /rest/twinfold/summary': later,
    'GET /rest/twinfold/tree': later,
    'GET /rest/twinfold/waiting': later,
    'GET /rest/twinfold/why': later,
    'GET /rest/twinfold/search': later,
    'POST /rest/twinfold/ignore-preview': later,
    'GET /rest/twinfold/conflicts': later,
  })
}
