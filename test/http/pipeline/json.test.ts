import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { formatJson, parseJson } from '../../../src/http/pipeline/json.ts'
import { fakeRest } from '../fakes.ts'

// Catalogue row W-10: hostile bodies.

const read = (text: string) => parseJson(new TextEncoder().encode(text))

test('any written value is read back the same', () => {
  fc.assert(
    fc.property(fc.jsonValue({ depthSize: 'small' }), (value) => {
      const text = formatJson(value)
      assert.ok(text.endsWith('\n') && !/[<>&]/.test(text))
      let readable = true
      JSON.stringify(value, (_key, item: unknown) => {
        if (typeof item === 'number' && Number.isInteger(item) && !Number.isSafeInteger(item)) readable = false
        return item
      })
      if (readable && !text.includes('__proto__')) assert.deepEqual(read(text), wellFormed(value))
    }),
    { numRuns: 2_000 },
  )
})

function wellFormed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_key, item: unknown) =>
    typeof item === 'string' ? item.toWellFormed() : item,
  )
}

const REFUSED: [name: string, text: string][] = [
  ['depth 100000', '['.repeat(100_000) + ']'.repeat(100_000)],
  ['depth 100000 of objects', '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)],
  ['depth 65', '['.repeat(65) + ']'.repeat(65)],
  ['1e999', '{"a":1e999}'],
  ['-1e999', '[-1e999]'],
  ['2^53+1', '{"a":9007199254740993}'],
  ['2^70', '{"a":1180591620717411303424}'],
  ['NaN', '{"a":NaN}'],
  ['Infinity', '{"a":Infinity}'],
  ['hex', '{"a":0x10}'],
  ['leading zero', '{"a":010}'],
  ['single quotes', "{'a':1}"],
  ['trailing comma', '{"a":1,}'],
  ['comment', '{"a":1/*x*/}'],
  ['two values', '{} {}'],
  ['empty', ''],
  ['blank', '  '],
  ['open string', '{"a":"b'],
  ['bad escape', '{"a":"\\x41"}'],
  ['control character', '{"a":"\u0001"}'],
  ['byte order mark', '\ufeff{}'],
  ['too many values', `[${'1,'.repeat(1_000_001)}1]`],
]

test('W-10: invalid JSON and inexact numbers are refused with a reason that does not quote the body', () => {
  for (const [name, text] of REFUSED) {
    assert.throws(
      () => read(text),
      (error) => error instanceof TwinfoldError && error.code === 'bad-request' && error.message.length < 100,
      name,
    )
  }
  assert.throws(() => parseJson(new Uint8Array([0x22, 0xff, 0x22])), { code: 'bad-request' })
  assert.throws(
    () => read('{"password":"hunter2",}'),
    (error) => error instanceof Error && !error.message.includes('hunter2'),
  )
})

test('W-10: prototype keys have no effect, of repeated keys the last is used, invalid text is repaired', () => {
  const value = read(
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1,"a":2,"z":-0,"s":"\\ud800x"}',
  )
  assert.equal(Object.getPrototypeOf(value), Object.prototype)
  assert.deepEqual(Object.keys(Object(value)), ['constructor', 'a', 'z', 's'])
  assert.deepEqual([Object(value).a, Object.is(Object(value).z, 0), Object(value).s], [2, true, '\ufffdx'])
  assert.equal(Object(read('{"\\u005f_proto__":{"x":1}}')).x, undefined)
  assert.equal(Object({}).polluted, undefined)
  assert.ok(Array.isArray(read('['.repeat(64) + ']'.repeat(64))))
})

const TARGETS: [method: string, path: string][] = [
  ['PUT', '/rest/config'],
  ['POST', '/rest/system/config'],
  ['POST', '/rest/config/folders'],
  ['PUT', '/rest/config/folders'],
  ['PATCH', '/rest/config/folders/share'],
  ['PATCH', '/rest/config/gui'],
  ['PATCH', '/rest/config/options'],
  ['PUT', '/rest/config/options'],
  ['PATCH', '/rest/config/ldap'],
  ['PUT', '/rest/config/defaults/ignores'],
  ['POST', '/rest/system/loglevels'],
]

test('W-10: a body of wrong types is refused and changes nothing, on every route with a body', async () => {
  const { send, config, log } = fakeRest()
  let accepted = 0
  let tried = 0
  for (const [method, path] of TARGETS) {
    for (const body of [
      '{bad',
      '[',
      '""',
      '3',
      'true',
      '{"a":1e999}',
      '['.repeat(1_000),
      '',
      '{"version":9007199254740993}',
    ]) {
      const before = config.current
      const response = await send(method, path, body)
      tried++
      if (response.status === 200) accepted++
      assert.equal(response.status, 400, `${method} ${path} ${body.slice(0, 30)}`)
      assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
      assert.equal(config.current, before)
    }
  }
  assert.equal(log.levels.size, 0)
  console.log(JSON.stringify({ id: 'W-10', tried: tried + REFUSED.length, acceptedWrong: accepted }))
})

test('W-10: random bodies are accepted or refused, never an internal error, and reach no prototype', async () => {
  const fields = [
    'version',
    'gui',
    'options',
    'devices',
    'folders',
    'id',
    'path',
    'paused',
    'apiKey',
    'address',
    'deviceID',
    'lines',
    '__proto__',
    'constructor',
    'rescanIntervalS',
  ]
  const value = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 2 ** 53, '', 'x', '\ud800'),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...fields), tie('node'), { maxKeys: 4 }),
    ),
  })).node
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...TARGETS), value, async ([method, path], body) => {
      const { send, config } = fakeRest()
      const response = await send(method, path, JSON.stringify(body))
      assert.ok([200, 400].includes(response.status), `${response.status} ${response.body}`)
      assert.equal(typeof config.current.gui.apiKey, 'string')
      assert.equal(Object({}).polluted, undefined)
    }),
    { numRuns: 1_500 },
  )
})

test('W-10: a partial PUT of the whole config is refused and names what is missing', async () => {
  const { send, config, configJson } = fakeRest()
  const before = config.current
  for (const body of ['{}', '{"version":99999}', '{"version":37,"folders":[]}']) {
    const response = await send('PUT', '/rest/config', body)
    assert.equal(response.status, 400)
    assert.match(response.body, /lacks .*gui/)
  }
  const whole = configJson()
  assert.equal((await send('PUT', '/rest/config', JSON.stringify({ ...whole, version: 99_999 }))).status, 400)
  assert.equal((await send('PUT', '/rest/config', JSON.stringify({ ...whole, devices: [] }))).status, 400)
  assert.equal(config.current, before)
  assert.equal((await send('PUT', '/rest/config', JSON.stringify(whole))).status, 200)
})
