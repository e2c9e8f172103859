import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBody } from '../../src/rest/read-body.ts'
import { BOOLEAN, list, map, object, TEXT } from '../../src/rest/schema.ts'

const STRICT = { schema: object({ userName: TEXT, stay: BOOLEAN }, ['stay']), about: '' } as const
const LENIENT = { ...STRICT, lenient: true } as const

test('field names are case-insensitive, the last of several is used, others are dropped', () => {
  assert.deepEqual(readBody(STRICT, { USERNAME: 'a', username: 'b', other: 1 }), { userName: 'b' })
  assert.deepEqual(readBody({ schema: map(TEXT), about: '' }, { Name: 'a', name: 'b' }), { Name: 'a', name: 'b' })
  const hostile: unknown = JSON.parse('{"userName":"a","__proto__":{"stay":true},"constructor":1}')
  assert.deepEqual(readBody(STRICT, Object(hostile)), { userName: 'a' })
})

test('a strict body must have all its fields; in a lenient one, missing and null are the same', () => {
  for (const body of [{}, { userName: null }, { userName: 1 }, { userName: 'a', stay: null }, [], null, 'x', 3]) {
    assert.throws(() => readBody(STRICT, body), { code: 'bad-request' }, JSON.stringify(body))
  }
  for (const body of [{}, { userName: null }, { userName: 'a', username: null }])
    assert.deepEqual(readBody(LENIENT, body), {})
  for (const body of [{ userName: 1 }, { stay: 'yes' }, [], null, 'x']) {
    assert.throws(() => readBody(LENIENT, body), { code: 'bad-request' }, JSON.stringify(body))
  }
  assert.throws(() => readBody({ schema: list(TEXT), about: '' }, ['a', 1]), { message: '[1] must be a text' })
})
