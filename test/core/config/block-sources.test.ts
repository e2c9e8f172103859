import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayCopyBlocks } from '../../../src/core/config/block-sources.ts'
import type { FolderDeviceConfig } from '../../../src/core/config/config.ts'
import type { DeviceId } from '../../../src/core/ids.ts'

const OWN = 'OWN' as DeviceId

/** Devices by letter; a lower-case one gets encrypted data. */
function shared(letters: string): { readonly devices: readonly FolderDeviceConfig[] } {
  const devices = [...letters].map((letter) => ({
    deviceID: letter.toUpperCase() as DeviceId,
    introducedBy: '' as const,
    encryptionPassword: letter === letter.toUpperCase() ? '' : 'secret',
  }))
  return { devices: [...devices, { deviceID: OWN, introducedBy: '', encryptionPassword: '' }] }
}

for (const [from, to, may] of [
  ['', '', true],
  ['AB', 'AB', true],
  ['AB', 'A', true],
  ['A', 'AB', false],
  ['', 'A', false],
  ['aB', 'A', false],
  ['B', 'aB', true],
  ['', 'a', true],
] as const)
  test(`blocks of a folder shared with "${from}" for one shared with "${to}": ${may}`, () => {
    assert.equal(mayCopyBlocks(shared(from), shared(to), OWN), may)
    assert.equal(mayCopyBlocks({ devices: shared(from).devices.slice(0, -1) }, shared(to), OWN), may)
  })
