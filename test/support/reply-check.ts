import assert from 'node:assert/strict'
import { componentSchemas } from '../../src/rest/components.ts'
import type { Declaration } from '../../src/rest/declaration.ts'
import { ROUTES } from '../../src/rest/routes.ts'
import type { Schema } from '../../src/rest/schema.ts'

export interface CheckedReply {
  readonly status: number
  readonly contentType: string
  readonly text: string
}

type Check = (value: unknown) => void

const DECLARED: ReadonlyMap<string, Declaration> = new Map(Object.entries(ROUTES))
const checks = new Map<string, Check>()

/** The declaration that a request belongs to; undefined for unknown paths. */
export function declarationOf(
  method: string,
  target: string,
): { readonly name: string; readonly route: Declaration } | undefined {
  const path = target.replace(/\?.*$/s, '')
  for (const name of [`${method} ${path}`, `${method} ${path.replace(/\/[^/]+$/, '/:id')}`]) {
    const route = name.endsWith('/:id') || name === `${method} ${path}` ? DECLARED.get(name) : undefined
    if (route !== undefined) return { name, route }
  }
  return undefined
}

/**
 * A success must be what its route declares: type, shape, and no field that the description does not mention. Replies
 * of the whole test run go through here, so the description cannot fall behind.
 */
export async function checkReply(method: string, target: string, reply: CheckedReply): Promise<void> {
  const found = declarationOf(method, target)
  if (found === undefined || reply.status < 200 || reply.status > 299) return
  const { reply: shape } = found.route
  const where = `${method} ${target}`
  switch (shape.is) {
    case 'empty':
      assert.equal(reply.status, shape.status ?? 200, where)
      assert.equal(reply.text, '', `${where} is declared to answer without content`)
      return
    case 'other':
      assert.ok(
        shape.type === '*/*' || reply.contentType.startsWith(shape.type),
        `${where} answers ${reply.contentType}, declared is ${shape.type}`,
      )
      return
    case 'json':
      assert.match(reply.contentType, /^application\/json/, where)
      return (await checkOf(found.name, shape.schema))(JSON.parse(reply.text))
  }
}

/** Compiled at first use: the library is large, and most test files use few routes. */
async function checkOf(name: string, schema: Schema): Promise<Check> {
  const known = checks.get(name)
  if (known !== undefined) return known
  const { Compile } = await import('typebox/schema')
  const compiled = Compile({ ...closedObject(schema), components: { schemas: closedObject(componentSchemas()) } })
  const check: Check = (value) => {
    if (compiled.Check(value)) return
    const [, errors] = compiled.Errors(value)
    const listed = errors.slice(0, 5).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`)
    assert.fail(`the reply of ${name} is not what is declared: ${listed.join('; ')}`)
  }
  checks.set(name, check)
  return check
}

/** The same schema without room for fields that it does not name. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  return typeof value === 'object' && value !== null ? closedObject(value) : value
}

function closedObject(schema: object): Record<string, unknown> {
  const entries = Object.entries(schema).map(([key, inner]) => [key, closed(inner)])
  return {
    ...Object.fromEntries(entries),
    ...('required' in schema && 'properties' in schema && { additionalProperties: false }),
  }
}
