import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isTime, layOver, sortedParams, toJson, type Json } from '../../../src/core/config/config-json.ts'
import {
  bool,
  choice,
  defaultsOf,
  field,
  float,
  int,
  withNames,
  section,
  sections,
  size,
  text,
  texts,
  time,
  type Table,
} from '../../../src/core/config/field.ts'

const DEVICE = 'NLSXKD6-LPG72DG-3VCBJ72-PJRSZL2-MKO2UFV-ZYM7NT3-4RNTIUS-UVKM2AX'

/** One field of each kind. */
interface Sample {
  readonly onOff: boolean
  readonly whole: number
  readonly decimal: number
  readonly word: string
  readonly pick: string
  readonly device: string
  readonly seen: string
  readonly free: { readonly value: number; readonly unit: string }
  readonly params: Readonly<Record<string, string>>
  readonly words: readonly string[]
  readonly versioning: { readonly fsPath: string; readonly days: number }
  readonly parts: readonly { readonly fsPath: string; readonly days: number }[]
}

const INNER = withNames<Sample['versioning']>({ fsPath: text('/none'), days: int(7) })
const SAMPLE: Table<Sample> = withNames<Sample>({
  onOff: bool(false),
  whole: int(1),
  decimal: float(1.5),
  word: text('word'),
  pick: choice(['first', 'second'], { old: { another: 'second' } }),
  device: field<string>({ is: 'device' }, '', {}),
  seen: time(),
  free: size({ value: 1, unit: '%' }),
  params: field<Sample['params']>({ is: 'params' }, {}, {}),
  words: texts(['a'], 'word'),
  versioning: section(INNER),
  parts: sections(INNER, 'part'),
})
const BASE: Sample = { ...defaultsOf(SAMPLE), params: { b: '2' }, versioning: { fsPath: '/kept', days: 3 } }

const laid = (json: Json, nested: 'keep' | 'reset-versioning' = 'keep'): Sample =>
  layOver(SAMPLE, BASE, json, '', nested)

const TAKEN: readonly (readonly [key: keyof Sample, given: Json, wanted: unknown])[] = [
  ['onOff', true, true],
  ['whole', -5, -5],
  ['whole', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ['decimal', 0.25, 0.25],
  ['decimal', 3, 3],
  ['word', '', ''],
  ['word', 'tab\tline\nreturn\r', 'tab\tline\nreturn\r'],
  ['pick', 'second', 'second'],
  ['pick', 'another', 'second'],
  ['pick', 'constructor', 'first'],
  ['device', '', ''],
  ['device', DEVICE.toLowerCase().replaceAll('-', ''), DEVICE],
  ['seen', '', '0001-01-01T00:00:00Z'],
  ['seen', '2024-01-31T12:00:00.5+02:00', '2024-01-31T12:00:00.5+02:00'],
  ['free', { value: 5 }, { value: 5, unit: '%' }],
  ['free', { unit: 'GB' }, { value: 1, unit: 'GB' }],
  ['free', {}, { value: 1, unit: '%' }],
  ['params', { c: '3', a: '1' }, { a: '1', b: '2', c: '3' }],
  ['params', { b: 'x' }, { b: 'x' }],
  ['words', [], []],
  ['words', ['x', 'y'], ['x', 'y']],
  ['words', null, []],
  ['parts', null, []],
  [
    'parts',
    [{}, { days: 1 }],
    [
      { fsPath: '/none', days: 7 },
      { fsPath: '/none', days: 1 },
    ],
  ],
  ['versioning', { days: 9 }, { fsPath: '/kept', days: 9 }],
  ['whole', null, 1],
  ['word', null, 'word'],
  ['params', null, { b: '2' }],
  ['versioning', null, { fsPath: '/kept', days: 3 }],
]

describe('a given field', () => {
  for (const [key, given, wanted] of TAKEN) {
    it(`${key}: ${JSON.stringify(given)}`, () => {
      assert.deepEqual(laid({ [key]: given }), { ...BASE, [key]: wanted })
      assert.deepEqual(laid({ [key.toUpperCase()]: given }), { ...BASE, [key]: wanted }, 'in any case')
    })
  }

  it('has the order of params by name', () => {
    assert.deepEqual(Object.keys(laid({ params: { c: '3', a: '1' } }).params), ['a', 'b', 'c'])
    const sorted = Object.entries(
      sortedParams([
        ['b', '1'],
        ['a', '2'],
        ['b', '3'],
        ['c', '4'],
      ]),
    )
    assert.deepEqual(sorted, [
      ['a', '2'],
      ['b', '3'],
      ['c', '4'],
    ])
  })

  it('of a part that is replaced starts from the defaults for versions only', () => {
    const json = { versioning: { days: 9 }, params: { c: '3' } }
    const { versioning, params } = laid(json, 'reset-versioning')
    assert.deepEqual([versioning, params], [{ fsPath: '/none', days: 9 }, { c: '3' }])
  })
})

const REFUSED: readonly (readonly [json: Json, message: string])[] = [
  [null, 'the body: must be an object, not null'],
  [[], 'the body: must be an object, not a list'],
  ['text', 'the body: must be an object, not a string'],
  [{ onOff: 1 }, 'onOff: must be true or false, not such a number'],
  [{ onOff: 'true' }, 'onOff: must be true or false, not a string'],
  [{ whole: 1.5 }, 'whole: must be a whole number, not such a number'],
  [{ whole: 2 ** 53 }, 'whole: must be a whole number, not such a number'],
  [{ whole: '1' }, 'whole: must be a whole number, not a string'],
  [{ decimal: '1' }, 'decimal: must be a number, not a string'],
  [{ decimal: Number.POSITIVE_INFINITY }, 'decimal: must be a number, not such a number'],
  [{ word: 1 }, 'word: must be a text, not such a number'],
  [{ word: false }, 'word: must be a text, not a boolean'],
  [{ word: {} }, 'word: must be a text, not an object'],
  [{ pick: [] }, 'pick: must be a text, not a list'],
  [{ seen: 'today' }, 'seen: must be a time like 2024-01-31T12:00:00Z'],
  [{ free: 5 }, 'free: must be an object, not such a number'],
  [{ free: { value: '5' } }, 'free.value: must be a number, not a string'],
  [{ free: { unit: 5 } }, 'free.unit: must be a text, not such a number'],
  [{ params: [] }, 'params: must be an object, not a list'],
  [{ params: { a: 1 } }, 'params.a: must be a text, not such a number'],
  [{ words: 'x' }, 'words: must be a list, not a string'],
  [{ words: ['x', 1] }, 'words[1]: must be a text, not such a number'],
  [{ parts: {} }, 'parts: must be a list, not an object'],
  [{ parts: [{}, { days: 'x' }] }, 'parts[1].days: must be a whole number, not a string'],
  [{ versioning: { days: true } }, 'versioning.days: must be a whole number, not a boolean'],
]

describe('a wrong value is refused', () => {
  for (const [json, message] of REFUSED)
    it(message, () => assert.throws(() => laid(json), { code: 'bad-request', message }))

  it('if no file could hold it', () => {
    for (const word of ['\0', '\u0008', '\u000b', '\u000c', '\u000e', '\u001f', '\ufffe', '\uffff', '\ud800']) {
      const message = /^word: holds a character that a configuration file cannot store$/
      assert.throws(() => laid({ word }), { code: 'bad-request', message }, JSON.stringify(word))
    }
    for (const word of ['\t', '\n', '\r', ' ', '\u007f', '\ufffd', '😀']) assert.equal(laid({ word }).word, word)
  })

  it('if it is no device', () =>
    assert.throws(() => laid({ device: 'x' }), { code: 'bad-request', message: /^device: / }))
})

it('a time has a date, a time and a zone', () => {
  for (const good of ['2024-01-31T12:00:00Z', '2024-01-31T12:00:00.123456789Z', '2024-01-31T12:00:00-11:30'])
    assert.equal(isTime(good), true, good)
  for (const bad of [
    '2024-01-31',
    '2024-01-31T12:00:00',
    '2024-13-31T12:00:00Z',
    '2024-01-31T12:00:00.Z',
    'x2024-01-31T12:00:00Z',
  ])
    assert.equal(isTime(bad), false, bad)
})

it('JSON has every field in the order of the table, and lists of its own', () => {
  const value: Sample = { ...BASE, params: { b: '2', a: '1' }, parts: [{ fsPath: 'p', days: 1 }] }
  const json = toJson(SAMPLE, value)
  assert.deepEqual(Object.keys(json), Object.keys(SAMPLE))
  assert.deepEqual(json, { ...value, params: { a: '1', b: '2' } })
  assert.deepEqual(Object.keys(json['params'] as object), ['a', 'b'])
  assert.notEqual(json['words'], value.words)
})
