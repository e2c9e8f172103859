import { componentSchemas } from './components.ts'
import { methodOf, namesOf, pathOf, type Declaration, type Parameter, type RouteName } from './declaration.ts'
import { ROUTES } from './routes.ts'
import type { Schema } from './schema.ts'

/** The interface as an OpenAPI 3.1 document, derived from the declarations. */
export interface OpenApi {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly version: string; readonly [key: string]: unknown }
  readonly servers: readonly { readonly url: string; readonly description: string }[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>
  }
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters?: readonly OperationParameter[]
  readonly requestBody?: { readonly description: string; readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
  readonly security?: readonly []
}

export interface OperationParameter {
  readonly name: string
  readonly in: 'query' | 'path'
  readonly description: string
  readonly required: boolean
  readonly schema: Schema
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

const JSON_TYPE = 'application/json'
const TEXT_TYPE = 'text/plain'
const BINARY: Schema = { type: 'string', format: 'binary' }

/** Groups of routes, by the first segment of their path after `/rest/`. */
export const AREAS: Readonly<Record<string, string>> = {
  db: 'Folders, their files and their queues.',
  folder: 'Errors of a folder, and older versions of its files.',
  config: 'Reading and changing the configuration. A change is applied and saved before the reply.',
  twinfold: 'Routes that Syncthing does not have: single files and the reasons for their state, for the web page.',
  system: 'The device itself and its connections.',
  cluster: 'Pending devices and folders.',
  events: 'Events by long poll.',
  stats: 'When devices were last connected and folders last scanned.',
  svc: 'Utility services for programs and pages.',
  noauth: 'Routes without authentication.',
  debug: 'Diagnostics.',
  pages: 'For browsers and monitors.',
}

/** The area a path belongs to: a key of `AREAS`. */
export function areaOf(path: string): string {
  const segment = /^\/rest\/([a-z]+)(\/|$)/.exec(path)?.[1]
  return segment !== undefined && Object.hasOwn(AREAS, segment) ? segment : 'pages'
}

export function openApi(version: string): OpenApi {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const name of namesOf(ROUTES)) {
    const path = pathOf(name).replace('/:id', '/{id}')
    paths[path] = { ...paths[path], [methodOf(name).toLowerCase()]: operation(name, ROUTES[name]) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Twinfold',
      version,
      summary: 'The REST interface of a Twinfold device, compatible with Syncthing.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The device that serves this document.' }],
    security: [{ apiKey: [] }, { bearer: [] }],
    tags: Object.entries(AREAS).map(([area, description]) => ({ name: area, description })),
    paths,
    components: {
      schemas: componentSchemas(),
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The API key of the configuration.' },
        bearer: { type: 'http', scheme: 'bearer', description: 'The same key.' },
      },
    },
  }
}

function operation(name: RouteName, route: Declaration): Operation {
  const path = pathOf(name)
  const parameters = parametersOf(path, route)
  const { body } = route
  return {
    operationId: idOf(name),
    summary: route.summary,
    tags: [areaOf(path)],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        description: body.about,
        required: true,
        content: { [body.type ?? JSON_TYPE]: { schema: body.schema } },
      },
    }),
    responses: { ...success(route), ...failures(route) },
    ...(route.scope === 'open' && { security: [] }),
  }
}

/** `GET /rest/db/status` becomes `getDbStatus`. */
function idOf(name: RouteName): string {
  const segments = pathOf(name)
    .replace(/^\/rest\//, '/')
    .split(/[^A-Za-z0-9]+/)
    .filter((segment) => segment !== '')
  const path = (segments.length === 0 ? ['root'] : segments).map((text) => text.charAt(0).toUpperCase() + text.slice(1))
  return methodOf(name).toLowerCase() + path.join('')
}

function parametersOf(path: string, { query = {} }: Declaration): readonly OperationParameter[] {
  const id: OperationParameter = {
    name: 'id',
    in: 'path',
    description: 'The id of the folder, the device or the file.',
    required: true,
    schema: { type: 'string' },
  }
  const inQuery = Object.entries<Parameter>(query).map(
    ([name, { schema, about, required, repeated }]): OperationParameter => ({
      name,
      in: 'query',
      description: about,
      required: required ?? false,
      schema: repeated ? { type: 'array', items: schema } : schema,
    }),
  )
  return path.endsWith('/:id') ? [id, ...inQuery] : inQuery
}

function success({ reply }: Declaration): Operation['responses'] {
  switch (reply.is) {
    case 'json':
      return { 200: { description: 'The result.', content: { [JSON_TYPE]: { schema: reply.schema } } } }
    case 'empty':
      return { [reply.status ?? 200]: { description: 'Success.' } }
    case 'other':
      return { 200: { description: reply.about, content: { [reply.type]: { schema: otherSchema(reply.type) } } } }
  }
}

function otherSchema(type: string): Schema {
  return /^text\/|javascript/.test(type) ? { type: 'string' } : BINARY
}

/** Errors are a line of text. Those of one status are described together. */
function failures(route: Declaration): Operation['responses'] {
  const responses = [...refusalsOf(route)].map(([status, when]) => [
    status,
    { description: when.join(' '), content: { [TEXT_TYPE]: { schema: { type: 'string' } as const } } },
  ])
  return Object.fromEntries(responses)
}

/** Every error status of a route and its conditions. */
export function refusalsOf(route: Declaration): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, string[]>()
  const add = (status: number, when: string) => {
    const before = found.get(status) ?? []
    if (!before.includes(when)) found.set(status, [...before, when])
  }
  add(400, 'The request cannot be read.')
  if (route.scope !== 'open') add(403, 'The API key is missing or wrong.')
  if (route.scope === 'operate' || route.scope === 'admin') add(403, `The scope of the key is not ${route.scope}.`)
  for (const [status, when] of Object.entries(route.refusals ?? {})) add(Number(status), when)
  for (const [code, reply] of Object.entries(route.errors ?? {})) {
    add(reply.status, WHEN[code] ?? `Refused: ${code}.`)
  }
  if (route.body !== undefined) add(413, 'The body is too large.')
  return new Map([...found].sort(([a], [b]) => a - b))
}

const WHEN: Readonly<Record<string, string>> = {
  'bad-request': 'A parameter or the body cannot be used.',
  'device-missing': 'There is no such device.',
  'file-missing': 'There is no such file.',
  'folder-missing': 'There is no such folder.',
  'folder-not-running': 'The folder is not running.',
  'folder-paused': 'The folder is paused.',
}
