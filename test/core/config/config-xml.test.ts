import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { configToJson, type Json } from '../../../src/core/config/config-json.ts'
import { patchFolder, patchGui, patchOptions } from '../../../src/core/config/config-edit.ts'
import type { FolderId } from '../../../src/core/ids.ts'
import { configFixture, documentOf, fullConfig, newConfig, prepared, xmlOf } from '../../support/config.ts'

/** Omits the fields that only the 2.x format has; the fixture is of 1.29.5. */
const ONLY_2X = new Set([
  'group',
  'pullerDelayS',
  'blockIndexing',
  'metricsWithoutAuth',
  'sessionCookieDurationS',
  'sessionCookiePath',
  'auditEnabled',
  'auditFile',
])

for (const name of ['full.xml', 'pristine.xml'] as const) {
  test(`config-1.29.5-${name} is written as it was read, byte for byte`, () => {
    assert.equal(xmlOf(documentOf(configFixture(name))), configFixture(name))
  })
}

test('the full configuration in JSON equals that of Syncthing, with the same key order', () => {
  const shown = JSON.stringify(
    configToJson(fullConfig()),
    (key, value: unknown) => (ONLY_2X.has(key) ? undefined : value),
    2,
  )
  assert.equal(shown, configFixture('full.json'))
})

test('normalising the full configuration changes nothing', () => {
  assert.deepEqual(prepared(fullConfig()), fullConfig())
})

test('unknown attributes, elements and comments are preserved in their places', () => {
  const strange = configFixture('full.xml')
    .replace('<configuration version="37">', '<configuration version="37" origin="mars">\n    <!-- mine -->')
    .replace(/    (<folder id="inbox"[^>]*)>/, '    <!-- before inbox -->\n    $1 colour="blue">')
    .replace(
      '        <hashers>0</hashers>',
      '        <newThing a="1 &amp; 2">\n            <deep></deep>\n        </newThing>\n        <hashers>0</hashers>',
    )
    .replace('        <theme>dark</theme>', '        <theme>dark</theme>\n        <mood>good</mood>')
    .replace('        <urSeen>0</urSeen>', '        <newOption>x</newOption>\n        <urSeen>0</urSeen>')
    .replace('            <fsType>basic</fsType>', '            <fsType>basic</fsType>\n            <tier>cold</tier>')
    .replace(
      '        <untrusted>true</untrusted>',
      '        <untrusted>true</untrusted>\n        <trustLevel>low</trustLevel>',
    )
    .replace('    </defaults>', '        <strategy></strategy>\n    </defaults>')
  assert.equal(
    strange.match(/origin|mine|before inbox|colour|newThing|deep|mood|newOption|tier|trustLevel|strategy/g)?.length,
    18,
  )
  assert.equal(xmlOf(documentOf(strange)), strange)
})

test('unknown nodes of a folder are removed with the folder, the others are kept', () => {
  const { config, unknowns } = documentOf(
    configFixture('full.xml')
      .replace('<folder id="inbox"', '<folder colour="blue" id="inbox"')
      .replace('<folder id="photos"', '<folder colour="red" id="photos"'),
  )
  const text = xmlOf({
    config: { ...config, folders: config.folders.filter((folder) => folder.id !== 'inbox') },
    unknowns,
  })
  assert.doesNotMatch(text, /blue/)
  assert.match(text, /id="photos"[^>]* colour="red"/)
})

test('a sparse folder gets the defaults, not zeros', () => {
  const { config } = documentOf('<configuration version="37"><folder id="a" path="/a"></folder></configuration>')
  const [folder] = config.folders
  assert.equal(folder?.maxConflicts, 10)
  assert.equal(folder?.rescanIntervalS, 3600)
  assert.deepEqual(folder?.minDiskFree, { value: 1, unit: '%' })
  assert.equal(folder?.xattrFilter.maxTotalSize, 4096)
  assert.equal(config.defaults.folder.path, '~')
  assert.equal(config.options.globalAnnounceEnabled, true, 'an existing home is honoured as it is')
})

const values: [name: string, xml: string, read: (text: string) => unknown, expected: unknown][] = [
  ['an unknown folder type is sendreceive', 'type="nonsense"', typeOf, 'sendreceive'],
  ['an old spelling of a type is accepted', 'type="readonly"', typeOf, 'sendonly'],
  ['another old spelling of a type is accepted', 'type="readwrite"', typeOf, 'sendreceive'],
]
function typeOf(attribute: string): unknown {
  return documentOf(`<configuration version="37"><folder id="a" path="/a" ${attribute}/></configuration>`).config
    .folders[0]?.type
}
for (const [name, xml, read, expected] of values) test(name, () => assert.equal(read(xml), expected))

test('an empty list element is one empty text', () => {
  assert.deepEqual(fullConfig().options.stunServers, [''])
})

test('fields of 2.x are written to a 2.x file, and to an older one only when they are set', () => {
  const base = newConfig()
  assert.doesNotMatch(xmlOf({ config: base, unknowns: new Map() }), /pullerDelayS|auditFile|sessionCookie/)
  const changed = patchOptions(base, { auditEnabled: true })
  assert.match(xmlOf({ config: changed, unknowns: new Map() }), /<auditEnabled>true</)
  const later = xmlOf({ config: { ...base, version: 52 }, unknowns: new Map() })
  assert.match(later, /<pullerDelayS>1</)
  assert.match(later, /<auditFile><\/auditFile>/)
  assert.doesNotMatch(later, /weakHashThresholdPct|databaseTuning|debugging=/)
})

test('a 2.x file has the 2.x defaults for missing settings, and keeps its number', () => {
  const { config } = documentOf('<configuration version="52"><folder id="a" path="/a"></folder></configuration>')
  assert.equal(config.version, 52)
  assert.equal(config.folders[0]?.maxConcurrentWrites, 16)
  assert.equal(config.options.reconnectionIntervalS, 20)
})

const savable = fc
  .string({ unit: 'grapheme', maxLength: 20 })
  .filter((text) => !/[\u0000-\u001f\ufffe\uffff]/.test(text))
const blanks = fc.constantFrom(' a ', '\ta', 'a\nb', ' ', '<&>"\'', ']]>', '--', '&amp;', 'a\r\nb')

test('any valid text is read back unchanged', () => {
  fc.assert(
    fc.property(
      fc.oneof(savable, blanks),
      fc.oneof(savable, blanks),
      fc.dictionary(savable, savable),
      (a, b, params) => {
        const json: { [key: string]: Json } = {
          label: a,
          path: `/x${b}`,
          markerName: `m${b}`,
          versioning: { type: 'simple', params },
        }
        const folder = patchFolder(fullConfig(), 'inbox' as FolderId, json)
        const config = prepared(patchGui(patchOptions(folder, { urURL: a }), { user: b, theme: a }))
        assert.deepEqual(documentOf(xmlOf({ config, unknowns: new Map() })).config, config)
      },
    ),
    { numRuns: 60 },
  )
})

test('any valid numbers and switches are read back unchanged', () => {
  const record = fc.record({
    rescanIntervalS: fc.maxSafeInteger(),
    fsWatcherDelayS: fc.double({ noNaN: true, noDefaultInfinity: true }),
    paused: fc.boolean(),
    maxConflicts: fc.maxSafeInteger(),
    minDiskFree: fc.record({
      value: fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
      unit: savable,
    }),
  })
  fc.assert(
    fc.property(record, (json) => {
      const config = prepared(patchFolder(fullConfig(), 'inbox' as FolderId, json))
      const again = documentOf(xmlOf({ config, unknowns: new Map() })).config
      assert.equal(JSON.stringify(configToJson(again)), JSON.stringify(configToJson(config)))
    }),
    { numRuns: 60 },
  )
})
