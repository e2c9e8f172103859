import * as fc from 'fast-check'
import type { Schema } from '../../src/rest/schema.ts'

/** Texts that would do harm as markup, address, key or time. */
export const HOSTILE_TEXTS = [
  '<img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  '"><svg onload=alert(1)>',
  'javascript:alert(1)',
  'http://192.0.2.1/x.png',
  '../../rest/system/shutdown',
  '__proto__',
  'constructor',
  'toString',
  '\u202e\u0000\u001b[2J\r\n',
  '\ud800',
  '',
  'x'.repeat(5_000),
  '%00%2e%2e%2f',
  '%E0%A4%A',
  '1970-01-01T00:00:00Z',
  '9999-99-99',
] as const

const NUMBERS = [-1, 0, 0.5, 1, 100, 2 ** 31, 2 ** 53, 1e308, -1e308]

const texts = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: 'binary', maxLength: 20 }))
const numbers = fc.oneof(fc.constantFrom(...NUMBERS), fc.double({ noNaN: true, noDefaultInfinity: true }))

/** Any value of the form that a reply or event declares, with hostile texts, keys and numbers in it. */
export function hostileReply(schema: Schema, keys: readonly string[]): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const)
  if ('enum' in schema) return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...schema.enum) }, texts)
  if ('anyOf' in schema) return fc.oneof(...schema.anyOf.map((each) => hostileReply(each, keys)))
  if (!('type' in schema)) return fc.jsonValue()
  switch (schema.type) {
    case 'string':
      return fc.oneof(fc.constantFrom(...keys), texts)
    case 'integer':
    case 'number':
      return numbers
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(hostileReply(schema.items, keys), { maxLength: 3 })
    case 'object':
      return 'properties' in schema ? hostileObject(schema, keys) : hostileMap(schema.additionalProperties, keys)
  }
}

function hostileObject(
  schema: Extract<Schema, { readonly properties: unknown }>,
  keys: readonly string[],
): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties).map(([name, each]) => [name, hostileReply(each, keys)] as const)
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...schema.required] })
}

/** As JSON has them: a key `__proto__` is one like any other. */
function hostileMap(schema: Schema, keys: readonly string[]): fc.Arbitrary<unknown> {
  const key = fc.constantFrom(...keys, ...HOSTILE_TEXTS)
  return fc.array(fc.tuple(key, hostileReply(schema, keys)), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs))
}
