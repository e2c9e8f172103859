import * as fc from 'fast-check'
import type { OpenApi, Operation, OperationParameter } from '../../src/rest/openapi.ts'
import type { Schema } from '../../src/rest/schema.ts'

/** One request of an attacker or of a faulty program. */
export interface FuzzInput {
  readonly method: string
  /** The path as in the document. */
  readonly path: string
  readonly target: string
  readonly body?: string | Uint8Array
}

/** Encoded query values: some are not UTF-8, some are invalid escapes. */
const RAW_VALUES = [
  '',
  '0',
  '1',
  '-1',
  '-5',
  '1.5',
  'NaN',
  'true',
  'null',
  '1e9',
  '1000000000',
  '9223372036854775807',
  '1180591620717411303424',
  '%2B1',
  '%00',
  'a%00b',
  '%ff',
  '%zz',
  '%',
  '%F0%9F%92%A9',
  '%E2%80%AE',
  '+',
  '..',
  '..%2F..%2Fetc%2Fpasswd',
  '%2Fetc',
  'a/../../b',
  '__proto__',
  'constructor',
  '[]',
  '%5B0%5D',
  '{}',
  '<script>',
  "'%20OR%201=1",
  'docs',
  'docs%20',
  'DOCS',
  'nope',
  'letter.txt',
  'more',
  '2024-01-31T12:00:00Z',
  'a'.repeat(8_000),
  '%F0%9F%92%A9'.repeat(300),
  '0'.repeat(400),
  'P56IOI7MZJNU2IQGDREYDM2MGTMGL3BXNPQ6W5BTBBZ4TJXZWICQ',
]

const NAMES = ['folder%00', 'FOLDER', '__proto__', 'x', '', '%ff', 'constructor', 'page[]']

/** Invalid bodies. */
const RAW_BODIES: readonly (string | Uint8Array)[] = [
  '',
  ' ',
  '{',
  '}',
  'null',
  'true',
  '0',
  '"x"',
  '[]',
  '{}',
  '[{}]',
  '[null]',
  '[[[]]]',
  '{"a":}',
  '{"a":1,}',
  "{'a':1}",
  '\uFEFF{}',
  '{}{}',
  '['.repeat(200),
  `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`,
  '{"__proto__":{"paused":true}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '1e999',
  '-0',
  '9223372036854775807',
  '{"version":99999}',
  new Uint8Array([0xff, 0xfe, 0x00]),
  new Uint8Array([0x7b, 0xc0, 0xae, 0x7d]),
  `"${'x'.repeat(100_000)}"`,
  `[${'0,'.repeat(5_000)}0]`,
  'folder=docs&sub=x',
]

const WRONG: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1,
  1.5,
  1e15,
  -(2 ** 53),
  1e300,
  '',
  ' ',
  'x',
  '\u0000',
  'a\nb',
  '\ud800',
  '../..',
  '/etc/passwd',
  '~',
  '[::1]:0',
  'tcp://',
  '💩'.repeat(50),
  'y'.repeat(5_000),
  [],
  {},
  [[]],
  [null],
  [1],
  ['x'],
  { a: 1 },
  { __proto__x: 1 },
  [{}],
  [{ deviceID: 'x' }],
  'docs',
  'sendreceive',
  'default',
]

/** Every operation of the document with parameters and bodies derived from it, valid and invalid. */
export function fuzzInputs(document: OpenApi, leaveOut: ReadonlySet<string>): fc.Arbitrary<FuzzInput> {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const meant = operations.filter(({ path, method }) => !leaveOut.has(`${method} ${path}`))
  return fc.constantFrom(...meant).chain(({ path, method, operation }) =>
    fc
      .record({ query: queries(operation), id: fc.constantFrom(...RAW_VALUES), body: bodies(document, operation) })
      .map(({ query, id, body }): FuzzInput => {
        const target = `${path.replace('{id}', id)}${query === '' ? '' : `?${query}`}`
        return { method, path, target, ...(body !== undefined && { body }) }
      }),
  )
}

function queries({ parameters = [] }: Operation): fc.Arbitrary<string> {
  const known = parameters.filter((one) => one.in === 'query')
  const one = (parameter: OperationParameter) =>
    fc.tuple(
      fc.constant(parameter.name),
      fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...RAW_VALUES) }, fittingText(parameter.schema)),
    )
  const unknown = fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...RAW_VALUES))
  const pair = known.length === 0 ? unknown : fc.oneof({ weight: 5, arbitrary: fc.oneof(...known.map(one)) }, unknown)
  return fc.array(pair, { maxLength: 6 }).map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'))
}

function fittingText(schema: Schema): fc.Arbitrary<string> {
  if ('items' in schema) return fittingText(schema.items)
  const isNumber = 'type' in schema && (schema.type === 'integer' || schema.type === 'number')
  return isNumber
    ? fc.integer({ min: 0, max: 5 }).map(String)
    : fc.constantFrom('docs', 'letter.txt', 'more', 'model,scanner', 'x')
}

function bodies(document: OpenApi, { requestBody }: Operation): fc.Arbitrary<string | Uint8Array | undefined> {
  const raw = fc.constantFrom(undefined, ...RAW_BODIES)
  const schema = Object.values(requestBody?.content ?? {})[0]?.schema
  if (schema === undefined) return raw
  return fc.oneof(raw, { weight: 4, arbitrary: nearly(document, schema, 4).map((value) => JSON.stringify(value)) })
}

/** A value of the schema with some missing, wrong or surplus fields. */
function nearly(document: OpenApi, schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const wrong = fc.constantFrom(...WRONG)
  if (depth === 0) return wrong
  return fc.oneof({ weight: 1, arbitrary: wrong }, { weight: 4, arbitrary: shaped(document, schema, depth) })
}

function shaped(document: OpenApi, schema: Schema, depth: number): fc.Arbitrary<unknown> {
  if ('$ref' in schema)
    return shaped(document, document.components.schemas[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)]!, depth)
  if ('const' in schema) return fc.constant(schema.const)
  if ('enum' in schema) return fc.constantFrom(...schema.enum)
  if ('anyOf' in schema) return fc.oneof(...schema.anyOf.map((each) => shaped(document, each, depth)))
  if (!('type' in schema)) return fc.constantFrom(...WRONG)
  if ('items' in schema) return fc.array(nearly(document, schema.items, depth - 1), { maxLength: 3 })
  if ('additionalProperties' in schema) {
    return fc.dictionary(
      fc.constantFrom('model', 'docs', 'letter.txt', 'x', 'toString'),
      nearly(document, schema.additionalProperties, depth - 1),
      { maxKeys: 3 },
    )
  }
  if ('properties' in schema) {
    const names = Object.keys(schema.properties)
    return fc
      .subarray(names, { maxLength: Math.min(4, names.length) })
      .chain((some) =>
        fc.record(
          Object.fromEntries(
            some.map((name) => [fieldName(name), nearly(document, schema.properties[name]!, depth - 1)]),
          ),
        ),
      )
  }
  return scalar(schema.type)
}

/** Names are case-insensitive. */
function fieldName(name: string): string {
  return name.length % 7 === 0 ? name.toUpperCase() : name
}

function scalar(type: string): fc.Arbitrary<unknown> {
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer') return fc.integer({ min: -2, max: 100_000 })
  if (type === 'number') return fc.double({ min: -1, max: 1e6, noNaN: true })
  return type === 'null'
    ? fc.constant(null)
    : fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom('docs', '/data/docs', 'model', 'DEBUG'))
}
