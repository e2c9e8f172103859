import { methodOf, namesOf, pathOf, type Declaration, type Parameter, type RouteName } from '../../rest/declaration.ts'
import { AREAS, areaOf, refusalsOf } from '../../rest/openapi.ts'
import { componentSchemas } from '../../rest/components.ts'
import { ROUTES } from '../../rest/routes.ts'
import type { Schema } from '../../rest/schema.ts'
import { escapeHtml } from '../pipeline/reply.ts'
import { helpFrame } from '../static/help-frame.ts'

/** The description of the interface as a web page, derived from the declarations. */
export function apiPage(version: string): string {
  const byArea = Map.groupBy(namesOf(ROUTES), (name) => areaOf(pathOf(name)))
  const areas = Object.entries(AREAS).filter(([area]) => byArea.has(area))
  const head = `<h1>REST interface</h1>
<p>Twinfold ${escapeHtml(version)}, ${namesOf(ROUTES).length} operations. Programs read
<a href="/api/openapi.json">openapi.json</a>. Requests below <code>/rest</code> carry the API key in the header
<code>X-API-Key</code>; errors are a line of text.</p>`
  const links = [...areas.map(([area]) => area), 'schemas'].map((area) => `<a href="#${area}">${area}</a>`)
  const sections = areas.map(([area, about]) => section(area, about, byArea.get(area) ?? []))
  const body = `${sections.join('\n')}\n${schemas()}`
  return helpFrame({ title: 'REST interface', links, head, body, current: 'api' })
}

function section(area: string, about: string, names: readonly (keyof typeof ROUTES)[]): string {
  return `<section id="${area}">
<h2>${area}</h2>
<p>${escapeHtml(about)}</p>
${names.map((name) => operation(name, ROUTES[name])).join('\n')}
</section>`
}

function operation(name: RouteName, route: Declaration): string {
  const path = pathOf(name).replace('/:id', '/{id}')
  return `<details>
<summary><b class="${methodOf(name).toLowerCase()}">${methodOf(name)}</b> <code>${escapeHtml(path)}</code>
<span>${marked(route.summary)}</span></summary>
${scope(route)}${parameters(route)}${body(route)}${reply(route)}${refusals(route)}</details>`
}

function scope({ scope: needed }: Declaration): string {
  return needed === 'open' ? '' : `<p>Scope: ${needed}</p>\n`
}

function parameters({ query = {} }: Declaration): string {
  const rows = Object.entries<Parameter>(query).map(
    ([name, { schema, about, required, repeated }]) =>
      `<tr><td><code>${escapeHtml(name)}</code></td>` +
      `<td>${escapeHtml(outline(schema))}${repeated ? ', repeated' : ''}</td>` +
      `<td>${required ? 'required' : ''}</td><td>${marked(about)}</td></tr>`,
  )
  return rows.length === 0 ? '' : `<h3>Parameters</h3>\n<table>\n${rows.join('\n')}\n</table>\n`
}

function body({ body: given }: Declaration): string {
  if (given === undefined) return ''
  return `<h3>Body</h3>\n<p>${marked(given.about)}</p>\n<pre>${escapeHtml(outline(given.schema))}</pre>\n`
}

function reply({ reply: given }: Declaration): string {
  if (given.is === 'empty') return `<h3>Reply</h3>\n<p>${given.status ?? 200}, without content.</p>\n`
  if (given.is === 'other') return `<h3>Reply</h3>\n<p>${escapeHtml(given.type)}: ${marked(given.about)}</p>\n`
  return `<h3>Reply</h3>\n<pre>${escapeHtml(outline(given.schema))}</pre>\n`
}

function refusals(route: Declaration): string {
  const rows = [...refusalsOf(route)].map(
    ([status, when]) => `<tr><td>${status}</td><td>${marked(when.join(' '))}</td></tr>`,
  )
  return rows.length === 0 ? '' : `<h3>Errors</h3>\n<table>\n${rows.join('\n')}\n</table>\n`
}

function schemas(): string {
  const all = Object.entries<Schema>(componentSchemas()).map(
    ([name, schema]) =>
      `<details id="schema-${name}">\n` +
      `<summary><code>${name}</code> <span>${marked(schema.description ?? '')}</span></summary>\n` +
      `<pre>${escapeHtml(outline(schema))}</pre>\n</details>`,
  )
  const head = '<h2>schemas</h2>\n<p>Schemas that several operations use.</p>'
  return `<section id="schemas">\n${head}\n${all.join('\n')}\n</section>`
}

/** A schema in a notation like JSON: names, types and descriptions. A question mark means "may be absent". */
function outline(schema: Schema, indent = ''): string {
  if ('$ref' in schema) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  if ('const' in schema) return JSON.stringify(schema.const)
  if ('enum' in schema) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if ('anyOf' in schema) return schema.anyOf.map((each) => outline(each, indent)).join(' | ')
  if (!('type' in schema)) return 'anything'
  if ('properties' in schema) {
    const inner = `${indent}  `
    const lines = Object.entries(schema.properties).map(([name, field]) => {
      const mark = schema.required.includes(name) ? '' : '?'
      const comment = field.description === undefined ? '' : `  // ${field.description}`
      return `${inner}${name}${mark}: ${outline(field, inner)}${comment}`
    })
    return `{\n${lines.join('\n')}\n${indent}}`
  }
  if ('additionalProperties' in schema) return `{ [name]: ${outline(schema.additionalProperties, indent)} }`
  if ('items' in schema) return `[ ${outline(schema.items, indent)} ]`
  return 'format' in schema && schema.format === 'date-time' ? 'time' : schema.type
}

/** HTML of a text whose parts between backquotes are code. */
function marked(text: string): string {
  return escapeHtml(text).replace(/`([^`]*)`/g, '<code>$1</code>')
}
