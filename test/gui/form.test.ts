/** One table of fields drives every form: what is shown, what is refused as it is typed, and what is sent. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { changesIn, storedValue, visibleFields, wrongIn, wrongsIn, type FormField } from '../../gui/view-model/form.ts'
import { formField } from '../../gui/view-model/form-field.ts'
import {
  ADVANCED_FIELDS,
  DEVICE_FIELDS,
  FOLDER_EXTENSION_FIELDS,
  FOLDER_FIELDS,
  GUI_FIELDS,
  OPTION_FIELDS,
} from '../../gui/view-model/form-fields.ts'
import { WITHOUT_EFFECT } from '../../gui/view-model/without-effect.ts'
import { ADD } from '../../gui/i18n/tables/add.ts'
import { SETTINGS } from '../../gui/i18n/tables/settings.ts'
import { layOver, type Json } from '../../src/core/config/config-json.ts'
import { DEVICE, FOLDER, GUI, OPTIONS } from '../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../src/core/config/field.ts'

const FOLDER_NOW = { ...defaultsOf(FOLDER), id: 'docs', path: '/docs', label: 'Docs' }
const fieldOf = (name: string, fields: readonly FormField[] = FOLDER_FIELDS) => {
  const found = fields.find((field) => field.name === name)
  assert.ok(found, name)
  return found
}
const keys: ReadonlySet<string> = new Set([...Object.keys(ADD), ...Object.keys(SETTINGS)])

test('every setting of a folder and a device has a place, a name, a line of help, and texts for its choices', () => {
  const places = [
    ['folder', [...FOLDER_FIELDS, ...FOLDER_EXTENSION_FIELDS]],
    ['device', DEVICE_FIELDS],
    ['options', OPTION_FIELDS],
    ['gui', GUI_FIELDS],
  ] as const
  for (const [words, fields] of places) {
    for (const { name, choices } of fields) {
      assert.ok(keys.has(`form.${words}.${name}`), `form.${words}.${name}`)
      assert.ok(keys.has(`form.${words}.${name}.help`), `form.${words}.${name}.help`)
      for (const choice of choices) assert.ok(keys.has(`form.${words}.${name}.${choice}`), `${name}: ${choice}`)
    }
  }
})

test('what has an effect is within reach, and what has none is not offered', () => {
  const tops = (fields: readonly FormField[]) => new Set(fields.map(({ name }) => name.split('.')[0]))
  const missing = (table: object, fields: readonly FormField[], elsewhere: readonly string[]) =>
    Object.keys(table).filter((key) => tops(fields).has(key) === elsewhere.includes(key))
  const { folder, device, options, gui } = WITHOUT_EFFECT
  assert.deepEqual(missing(FOLDER, FOLDER_FIELDS, ['id', 'devices', ...folder]), [])
  assert.deepEqual(missing(DEVICE, DEVICE_FIELDS, ['deviceID', 'introducedBy', 'ignoredFolders', ...device]), [])
  assert.deepEqual(missing(OPTIONS, [...OPTION_FIELDS, ...ADVANCED_FIELDS.options], options), [])
  const elsewhere = ['user', 'password', 'apiKey', 'authMode']
  assert.deepEqual(missing(GUI, [...GUI_FIELDS, ...ADVANCED_FIELDS.gui], [...elsewhere, ...gui]), [])
})

test('only what was changed is sent, in the structure of the config', () => {
  const edits = {
    label: 'Papers',
    type: 'sendreceive',
    rescanIntervalS: '60',
    fsWatcherEnabled: false,
    minDiskFree: '2,5 gb',
    order: 'random',
    'versioning.type': 'staggered',
    'versioning.params.maxAge': '30',
    'versioning.params.keep': '9',
    'xattrFilter.entries': '+ user.*\n\n- *',
  }
  assert.deepEqual(changesIn(FOLDER_FIELDS, FOLDER_NOW, edits), {
    label: 'Papers',
    rescanIntervalS: 60,
    fsWatcherEnabled: false,
    minDiskFree: { value: 2.5, unit: 'GB' },
    versioning: { type: 'staggered', params: { maxAge: '2592000' } },
    xattrFilter: {
      entries: [
        { match: 'user.*', permit: true },
        { match: '*', permit: false },
      ],
    },
  })
  assert.deepEqual(changesIn(FOLDER_FIELDS, FOLDER_NOW, {}), {})
})

test('what is sent is what is shown afterwards: the daemon keeps it as it was typed', () => {
  const values = {
    whole: fc.integer({ min: 0, max: 1_000 }).map(String),
    number: fc.integer({ min: 0, max: 1_000 }).map((n) => String(n / 4)),
    lines: fc.array(fc.stringMatching(/^[a-z]{1,5}$/), { maxLength: 4 }).map((lines) => lines.join('\n')),
    text: fc.stringMatching(/^[\w ~/.-]{0,12}$/),
    check: fc.boolean(),
    size: fc.constantFrom('1 %', '500 MB', '0.5 TB', '12'),
    rules: fc.constantFrom('+ user.*', '- a\n+ b', ''),
  }
  const simple = FOLDER_FIELDS.filter(({ when }) => when === undefined)
  fc.assert(
    fc.property(
      fc.constantFrom(...simple).chain((field) => {
        const value = field.kind === 'choice' ? fc.constantFrom(...field.choices) : values[field.kind]
        return fc.tuple(fc.constant(field), value)
      }),
      ([field, typed]) => {
        if (wrongIn(field, typed) !== undefined) return
        const change = JSON.parse(JSON.stringify(changesIn(FOLDER_FIELDS, FOLDER_NOW, { [field.name]: typed }))) as Json
        const next = layOver(FOLDER, FOLDER_NOW, change, '', 'keep')
        assert.equal(
          storedValue(field, next),
          typeof typed === 'string' && field.name === 'path' ? typed.trim() : typed,
        )
      },
    ),
  )
})

test('an invalid number, size or range is reported as it is typed', () => {
  assert.deepEqual(wrongIn(fieldOf('rescanIntervalS'), '1.5'), { kind: 'whole' })
  assert.deepEqual(wrongIn(fieldOf('rescanIntervalS'), ''), { kind: 'whole' })
  assert.deepEqual(wrongIn(fieldOf('rescanIntervalS'), '-1'), { kind: 'min', limit: 0 })
  assert.equal(wrongIn(fieldOf('maxConflicts'), '-1'), undefined)
  const percent = { ...fieldOf('rescanIntervalS'), max: 100 }
  assert.deepEqual(wrongIn(percent, '101'), { kind: 'max', limit: 100 })
  assert.deepEqual(wrongIn(fieldOf('fsWatcherDelayS'), 'soon'), { kind: 'number' })
  assert.equal(wrongIn(fieldOf('fsWatcherDelayS'), '0.5'), undefined)
  assert.deepEqual(wrongIn(fieldOf('minDiskFree'), 'plenty'), { kind: 'size' })
  assert.deepEqual(wrongIn(fieldOf('xattrFilter.entries'), 'user.*'), { kind: 'rules' })
})

test('an irrelevant field is neither shown, nor validated, nor sent', () => {
  const edits = { 'versioning.type': 'trashcan', 'versioning.params.keep': 'many' }
  assert.equal(wrongsIn(FOLDER_FIELDS, FOLDER_NOW, edits).size, 0)
  assert.deepEqual(changesIn(FOLDER_FIELDS, FOLDER_NOW, edits), { versioning: { type: 'trashcan' } })
  const names = visibleFields(FOLDER_FIELDS, FOLDER_NOW, edits).map(({ name }) => name)
  assert.ok(names.includes('versioning.params.cleanoutDays'))
  assert.ok(!names.includes('versioning.params.keep') && !names.includes('versioning.params.command'))
})

test('a value that is not stored shows the default of the daemon', () => {
  assert.equal(storedValue(fieldOf('versioning.params.keep'), FOLDER_NOW), '5')
  assert.equal(storedValue(fieldOf('versioning.params.maxAge'), FOLDER_NOW), '365')
})

test('a name of the prototype is no setting', () => {
  assert.equal(storedValue(formField({}, 'constructor', 'x'), {}), '')
  assert.equal(storedValue(formField({}, '__proto__.polluted', 'x'), {}), '')
})
