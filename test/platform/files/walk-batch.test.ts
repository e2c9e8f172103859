import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BatchPacker, unpackBatch } from '../../../src/platform/files/walk-batch.ts'
import type { DiskStat } from '../../../src/platform/disk.ts'

const UNSTAMPED: DiskStat = {
  type: 'file',
  sizeBytes: 2 ** 33,
  modifiedS: -1,
  modifiedNs: 999_999_999,
  mode: 0o4755,
  userId: 1_000,
  groupId: 100,
  deviceId: 1n,
  inode: 2n ** 40n,
}
const STAT: DiskStat = { ...UNSTAMPED, changeStamp: 1.5e18 }

function filled(ownership: boolean): BatchPacker {
  const packer = new BatchPacker({ ownership })
  packer.item('a', STAT, '')
  packer.item('a/ü', { ...UNSTAMPED, type: 'directory', inode: 7n }, '')
  packer.item('b', { ...STAT, type: 'symlink', sizeBytes: 0 }, 'to/a')
  packer.problem('c', 'scan: not readable')
  packer.unnormalized('d')
  packer.aside('e')
  return packer
}

test('a batch is the same whether it was packed for another thread or not', () => {
  for (const ownership of [false, true]) {
    const batch = filled(ownership).takeUnpacked()
    assert.deepEqual(batch, unpackBatch(filled(ownership).take()))
    assert.deepEqual(
      batch.items.map(({ name, type, symlinkTarget }) => [name, type, symlinkTarget]),
      [
        ['a', 'file', ''],
        ['a/ü', 'directory', ''],
        ['b', 'symlink', 'to/a'],
      ],
    )
    assert.equal('owner' in batch.items[0]!, ownership)
  }
})

test('what was taken is not taken again', () => {
  const packer = filled(false)
  packer.takeUnpacked()
  assert.deepEqual(packer.takeUnpacked(), { items: [], problems: [], unnormalized: [], asides: [] })
})
