/** Writes the list of routes in docs/rest.md from their declarations. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { namesOf, pathOf, type Declaration, type Parameter } from '../src/rest/declaration.ts'
import { AREAS, areaOf } from '../src/rest/openapi.ts'
import { ROUTES } from '../src/rest/routes.ts'

const PAGE = join(import.meta.dirname, '..', 'docs', 'rest.md')
const SECTION = /(<!-- routes: [^\n]*-->\n)[^]*?(<!-- end of routes -->)/

/** The page with the current list. */
export function withRoutes(page: string): string {
  return page.replace(SECTION, (_all, start: string, end: string) => `${start}${routeList()}${end}`)
}

function routeList(): string {
  const byArea = Map.groupBy(namesOf(ROUTES), (name) => areaOf(pathOf(name)))
  return Object.entries(AREAS)
    .filter(([area]) => byArea.has(area))
    .map(([area, text]) => {
      const rows = (byArea.get(area) ?? []).map(
        (name) => `| \`${name}\` | ${parameters(ROUTES[name])} | ${ROUTES[name].scope} | ${ROUTES[name].summary} |`,
      )
      return `### ${area}\n\n${text}\n\n| Route | Parameters | Scope | |\n|---|---|---|---|\n${rows.join('\n')}\n\n`
    })
    .join('')
}

/** Those in brackets may be left out. */
function parameters({ query = {}, body }: Declaration): string {
  const names = Object.entries<Parameter>(query).map(([name, { required }]) =>
    required ? `\`${name}\`` : `[\`${name}\`]`,
  )
  return [...names, ...(body === undefined ? [] : ['a body'])].join(' ')
}

if (import.meta.main) writeFileSync(PAGE, withRoutes(readFileSync(PAGE, 'utf8')))
