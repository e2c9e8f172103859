/** D-30: lists that are as long as a file, another device or a browser makes them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lanCheck } from '../../src/core/network/lan.ts'
import { parseIgdDescription } from '../../src/core/network/igd.ts'
import { tableLines } from '../../src/cli/table.ts'
import { documentOf, newConfig, xmlOf } from '../support/config.ts'

/** More arguments than a call may have. */
const MANY = 200_000

test('D-30: a config.xml with very many unknown elements is read and written as it is', () => {
  const xml = xmlOf({ config: newConfig(), unknowns: new Map() })
  const strange = xml.replace('</configuration>', `${'<strange></strange>'.repeat(MANY)}</configuration>`)
  const document = documentOf(strange)
  assert.equal(xmlOf(document).match(/<strange>/g)?.length, MANY)
})

test('D-30: a setting with very many values is written and read', () => {
  const config = newConfig()
  const alwaysLocalNets = Array.from({ length: MANY }, (_, i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}/32`)
  const { options } = documentOf(
    xmlOf({ config: { ...config, options: { ...config.options, alwaysLocalNets } }, unknowns: new Map() }),
  ).config
  assert.deepEqual(options.alwaysLocalNets, alwaysLocalNets)
  const isLocal = lanCheck([{ address: '192.0.2.1', prefixLength: 32 }], alwaysLocalNets)
  assert.deepEqual([isLocal('10.0.0.7'), isLocal('10.200.0.7')], [true, false])
})

test('D-30: a description of a router with very many elements is refused with the reason', () => {
  const text = `<root><device>${'<a/>'.repeat(MANY)}</device></root>`
  assert.throws(() => parseIgdDescription(text, 'http://192.0.2.1/'), {
    code: 'refused',
    message: /too many elements/,
  })
})

test('D-30: a table of very many rows is printed', () => {
  const rows = Array.from({ length: MANY }, (_, i) => [String(i)])
  assert.equal(tableLines([{ title: 'N' }], rows, 80).length, MANY + 1)
})
