import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { Compile } from 'typebox/schema'
import { faultOf } from '../../src/rest/check.ts'
import { ROUTES } from '../../src/rest/routes.ts'
import type { Declaration } from '../../src/rest/declaration.ts'
import { list, map, nullable, object, TEXT, TIME, type Schema } from '../../src/rest/schema.ts'

// Small values, so that many are valid.
const NAMES = ['a', 'b', 'c', '__proto__', 'constructor', 'ignore']
const scalar = fc.oneof(
  fc.constantFrom(
    null,
    true,
    false,
    0,
    -0,
    1,
    -1,
    2,
    3,
    1.5,
    1e300,
    '',
    'a',
    'b',
    'a\nb',
    'DEBUG',
    '0',
    '2024-01-31T12:00:00Z',
  ),
  fc.string({ maxLength: 4 }),
)
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any

const schema: fc.Arbitrary<Schema> = fc.letrec<{ any: Schema }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Schema>(
      TEXT,
      { type: 'string', pattern: '^[^\\n]*$' },
      { type: 'integer' },
      { type: 'integer', minimum: 0 },
      { type: 'number', minimum: -1, maximum: 2 },
      { type: 'integer', maximum: 1 },
      { type: 'boolean' },
      { type: 'null' },
      { const: 'a' },
      { const: 1 },
      { enum: ['a', 'DEBUG'] },
      { description: 'anything' },
    ),
    tie('any').map((item) => list(item)),
    tie('any').map((item) => map(item)),
    tie('any').map((item) => nullable(item)),
    fc.tuple(tie('any'), tie('any'), fc.boolean()).map(([a, b, loose]): Schema => object({ a, b }, loose ? ['b'] : [])),
  ),
})).any

/** As TypeBox accepts it, which would infer the type of a known schema. */
function asPlain(declared: Schema): Record<string, unknown> {
  return { ...declared }
}

test('validity is the same as by TypeBox, for any schema and any value', () => {
  let right = 0
  fc.assert(
    fc.property(schema, fc.array(value, { minLength: 1, maxLength: 20 }), (declared, values) => {
      const compiled = Compile(asPlain(declared))
      for (const each of values) {
        const fault = faultOf(declared, each)
        assert.equal(
          fault === undefined,
          compiled.Check(each),
          `${JSON.stringify(declared)} ${JSON.stringify(each)}: ${fault}`,
        )
        if (fault === undefined) right++
      }
    }),
    { numRuns: 1_500 },
  )
  assert.ok(right > 200, `only ${right} values were right`)
})

test('a fault names the path and the expected value, never the given one', () => {
  const body = object({ lines: list(TEXT), at: TIME, count: { type: 'integer', minimum: 0 } as const }, ['count'])
  const at = '2024-01-31T12:00:00Z'
  const faults: readonly (readonly [unknown, string | undefined])[] = [
    [{ lines: ['a'], at }, undefined],
    [[], 'the body must be an object'],
    [{ lines: [] }, 'at is missing'],
    [{ lines: ['a', 7], at }, 'lines[1] must be a text'],
    [{ lines: 'secret', at }, 'lines must be a list'],
    [{ lines: [], at: 'secret' }, 'at must be a time like 2024-01-31T12:00:00Z'],
    [{ lines: [], at, count: -1 }, 'count must be a whole number, 0 or more'],
  ]
  for (const [given, fault] of faults) assert.equal(faultOf(body, given), fault)
  assert.equal(faultOf(map(TEXT), { secret: 1 }), '… must be a text')
})

test('numbers are strict where the schema has limits, and the fault of a pattern uses its description', () => {
  const routes: readonly (readonly [string, Declaration])[] = Object.entries(ROUTES)
  const strict = routes.flatMap(([name, { query = {} }]) =>
    Object.entries(query)
      .filter(([, one]) => one.strict === true)
      .map(([key]) => `${name} ${key}`),
  )
  assert.deepEqual(
    strict.filter((name) => !name.includes('/rest/twinfold/')),
    ['POST /rest/db/scan next'],
  )
  const numbers = routes.flatMap(([name, { query = {} }]) =>
    Object.entries(query)
      .filter(([, { schema }]) => 'minimum' in schema || 'format' in schema || 'enum' in schema)
      .map(([key]) => `${name} ${key}`),
  )
  assert.deepEqual(
    strict.filter((name) => !numbers.includes(name)),
    [],
  )
  const check = (found: unknown): void => {
    if (typeof found !== 'object' || found === null) return
    if ('pattern' in found) assert.ok('description' in found, JSON.stringify(found))
    Object.values(found).forEach(check)
  }
  check(ROUTES)
})
