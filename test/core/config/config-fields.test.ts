import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../../../src/core/config/config.ts'
import { configFixture, documentOf, xmlOf } from '../../support/config.ts'

test('a setting that the file lacks has the value that a fresh Syncthing writes', () => {
  const fresh = configFixture('pristine.xml')
  const bare = fresh
    .replace(/<options>[^]*<\/options>/, '<options></options>')
    .replace(/<gui [^]*?<\/gui>/, '<gui></gui>')
    .replace(/<defaults>[^]*<\/defaults>/, '')
    .replace(/(<device id="[^"]*")[^>]*?>[^]*?<\/device>/, '$1></device>')
  const [written, empty] = [documentOf(fresh).config, documentOf(bare).config]
  const { gui, options, defaults } = written
  assert.deepEqual(empty.options, { ...options, unackedNotificationIDs: [] })
  assert.deepEqual(empty.gui, { ...gui, apiKey: '' })
  assert.deepEqual(empty.defaults, { ...defaults, folder: { ...defaults.folder, devices: [] } })
  assert.deepEqual(empty.devices, [{ ...written.devices[0], name: '' }])
})

test('settings that only 2.x has', () => {
  const { gui, defaults, options } = documentOf('<configuration version="52"></configuration>').config
  assert.deepEqual([gui.metricsWithoutAuth, gui.sessionCookieDurationS, gui.sessionCookiePath], [false, 604_800, '/'])
  assert.deepEqual([defaults.folder.pullerDelayS, defaults.folder.blockIndexing, defaults.folder.group], [1, true, ''])
  assert.deepEqual([options.auditEnabled, options.auditFile], [false, ''])
})

/** The values of each choice, as the format of 1.29.5 has them; the first one is used for any other text. */
const CHOICES: readonly (readonly [
  element: string,
  where: 'folder' | 'options' | 'gui' | 'ldap',
  read: (config: Config) => unknown,
  values: readonly string[],
])[] = [
  [
    'order',
    'folder',
    (config) => config.folders[0]?.order,
    ['random', 'alphabetic', 'smallestFirst', 'largestFirst', 'oldestFirst', 'newestFirst'],
  ],
  ['blockPullOrder', 'folder', (config) => config.folders[0]?.blockPullOrder, ['standard', 'random', 'inOrder']],
  [
    'copyRangeMethod',
    'folder',
    (config) => config.folders[0]?.copyRangeMethod,
    ['standard', 'ioctl', 'copy_file_range', 'sendfile', 'duplicate_extents', 'all'],
  ],
  ['databaseTuning', 'options', (config) => config.options.databaseTuning, ['auto', 'small', 'large']],
  ['authMode', 'gui', (config) => config.gui.authMode, ['static', 'ldap']],
  ['transport', 'ldap', (config) => config.ldap.transport, ['plain', 'tls', 'starttls']],
]

for (const [element, where, read, values] of CHOICES) {
  test(`every value of ${element} is read and written as it is, and any other text is ${values[0]}`, () => {
    for (const value of values) {
      const place = where === 'folder' ? 'folder id="a" path="/a"' : where
      const xml = `<configuration version="37"><${place}><${element}>${value}</${element}></${where}></configuration>`
      assert.equal(read(documentOf(xml).config), value)
      assert.equal(read(documentOf(xmlOf(documentOf(xml))).config), value)
      assert.equal(read(documentOf(xml.replace(`>${value}<`, '>nonsense<')).config), values[0])
    }
  })
}

test('every value of the choices in attributes', () => {
  const read = (attributes: string) =>
    documentOf(`<configuration version="37"><folder path="/a" id="a" ${attributes}/></configuration>`).config.folders[0]
  for (const type of ['sendreceive', 'sendonly', 'receiveonly', 'receiveencrypted'])
    assert.equal(read(`type="${type}"`)?.type, type)
  const id = 'NLSXKD6-LPG72DG-3VCBJ72-PJRSZL2-MKO2UFV-ZYM7NT3-4RNTIUS-UVKM2AX'
  const compressions: readonly (readonly [text: string, wanted: string])[] = [
    ['metadata', 'metadata'],
    ['never', 'never'],
    ['always', 'always'],
    ['true', 'metadata'],
    ['false', 'never'],
  ]
  for (const [text, wanted] of compressions) {
    const device = `<device id="${id}" compression="${text}"></device>`
    const { config } = documentOf(`<configuration version="37">${device}</configuration>`)
    assert.equal(config.devices[0]?.compression, wanted)
  }
})
