import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../../../src/core/config/config.ts'
import type { FolderId } from '../../../src/core/ids.ts'
import type { Logger } from '../../../src/events/types.ts'
import { Disagreements } from '../../../src/model/peers/disagreements.ts'
import { LOCAL_ID, SERVER } from '../../support/config.ts'
import { simConfig, simFolder } from '../../support/model.ts'

const REMOTE = 'handling cluster-config: different encryption passwords used'
const isNever = () => false

function configOf(...ids: readonly string[]): Config {
  const devices = [LOCAL_ID, SERVER].map((deviceID) => ({
    deviceID,
    introducedBy: '' as const,
    encryptionPassword: '',
  }))
  return simConfig(ids.map((id) => simFolder(id, { devices })))
}

function recorded(): { readonly found: Disagreements; readonly lines: string[] } {
  const lines: string[] = []
  const log: Logger = {
    facility: 'model',
    debug() {},
    info() {},
    warn: (line) => void lines.push(line),
    error() {},
  }
  let nowMs = 0
  return { found: new Disagreements(log, { nowMs: () => ++nowMs }), lines }
}

test('what is found here names the folder, is logged once with its remedy, and ends with an agreement', () => {
  const { found, lines } = recorded()
  const refused = { folder: 'docs' as FolderId, code: 'other-password' } as const
  for (let attempt = 0; attempt < 3; attempt++) {
    found.set(SERVER, refused)
    found.closed(SERVER, REMOTE, configOf('docs', 'other'))
  }
  assert.deepEqual(found.list(configOf('docs', 'other'), isNever), [{ device: SERVER, ...refused, whenMs: 3 }])
  assert.deepEqual(found.list(configOf('other'), isNever), [], 'no longer shared')
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /^folder docs: device .*: different encryption passwords used\. Set the same password/)
  found.set(SERVER, undefined)
  assert.deepEqual(found.list(configOf('docs'), isNever), [])
})

test('what only the device reports is listed until it stays connected, or closes for another reason', () => {
  const { found, lines } = recorded()
  const config = configOf('docs')
  for (let attempt = 0; attempt < 3; attempt++) {
    found.set(SERVER, undefined)
    found.closed(SERVER, REMOTE, config)
  }
  assert.equal(lines.length, 1)
  assert.deepEqual(found.list(config, isNever), [{ device: SERVER, folder: 'docs', code: 'other-password', whenMs: 3 }])
  assert.deepEqual(
    found.list(config, () => true),
    [],
  )
  found.closed(SERVER, REMOTE, configOf('docs', 'other'))
  assert.equal(found.list(configOf('docs', 'other'), isNever)[0]?.folder, undefined, 'either may be meant')
  found.closed(SERVER, 'shutting down', config)
  assert.deepEqual(found.list(config, isNever), [])
})
