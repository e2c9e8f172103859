import assert from 'node:assert/strict'
import { closeSync, fstatSync, openSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CommonSync, type CommonSyncSystem } from '../../../../src/platform/node/disk/common-sync.ts'
import { posix } from '../../../../src/platform/node/native/posix.ts'
import { scratchDirectory } from '../../../support/scratch.ts'

const EXT4 = 0xef53
const XFS = 0x58465342
const BTRFS = 0x9123683e
const FUSE = 0x65735546
const FILE = { descriptor: 3, deviceId: 1 }
const MIB = 1_024 * 1_024

function onSystem(more: Partial<CommonSyncSystem> = {}): CommonSync {
  return new CommonSync({
    syncFileSystem: async () => true,
    release: () => '6.1.0-38-amd64',
    fileSystemOf: () => EXT4,
    unwrittenBytes: () => 0,
    nowMs: () => 0,
    ...more,
  })
}

test('a file system is synced as a whole only where that is known to report failures and to reach the disk', () => {
  for (const type of [EXT4, XFS, BTRFS]) assert.equal(onSystem({ fileSystemOf: () => type }).maySync(FILE), true)
  assert.equal(onSystem({ release: () => '5.10.0' }).maySync(FILE), true)
  assert.equal(onSystem({ release: () => '5.8.0-63-generic' }).maySync(FILE), true)
  assert.equal(onSystem({ release: () => '5.7.19' }).maySync(FILE), false)
  assert.equal(onSystem({ release: () => '4.19.0' }).maySync(FILE), false)
  assert.equal(onSystem({ release: () => 'unknown' }).maySync(FILE), false)
  assert.equal(onSystem({ fileSystemOf: () => FUSE }).maySync(FILE), false)
  assert.equal(onSystem({ syncFileSystem: undefined }).maySync(FILE), false)
})

test('what other programs have written is not waited for', () => {
  assert.equal(onSystem({ unwrittenBytes: () => undefined }).maySync(FILE), false)
  let unwrittenMib = 512
  let nowMs = 0
  const common = onSystem({ unwrittenBytes: () => unwrittenMib * MIB, nowMs: () => nowMs })
  assert.equal(common.maySync(FILE), false)
  unwrittenMib = 100
  assert.equal(common.maySync(FILE), false, 'not looked at for each file')
  nowMs += 1_000
  assert.equal(common.maySync(FILE), true)
})

test('after a sync that took long there is a pause, a longer one after the next', async () => {
  let nowMs = 0
  const slow = onSystem({
    nowMs: () => nowMs,
    syncFileSystem: async () => {
      nowMs += 2_000
      return true
    },
  })
  assert.equal(await slow.sync(FILE), true)
  assert.equal(slow.maySync(FILE), false)
  nowMs += 10_000
  assert.equal(slow.maySync(FILE), true)
  await slow.sync(FILE)
  nowMs += 10_000
  assert.equal(slow.maySync(FILE), false)
  nowMs += 10_000
  assert.equal(slow.maySync(FILE), true)
})

test('a file system that could not be synced is not synced as a whole again', async () => {
  const rejecting = async (): Promise<boolean> => {
    throw new Error('no call')
  }
  for (const syncFileSystem of [async () => false, rejecting]) {
    const common = onSystem({ syncFileSystem })
    assert.equal(await common.sync(FILE), false)
    assert.equal(common.maySync(FILE), false)
    assert.equal(common.maySync({ ...FILE, deviceId: 2 }), true)
  }
})

const noCall = process.platform === 'linux' && posix() !== undefined ? false : 'only Linux has the call'

test('the file system of the temporary directory is synced', { skip: noCall }, async () => {
  using scratch = scratchDirectory()
  const descriptor = openSync(join(scratch.path, 'file'), 'w')
  using _ = { [Symbol.dispose]: () => closeSync(descriptor) }
  const file = { descriptor, deviceId: fstatSync(descriptor).dev }
  const common = new CommonSync()
  if (![EXT4, XFS, BTRFS].includes(statfsSync(scratch.path).type)) assert.equal(common.maySync(file), false)
  writeSync(descriptor, 'content')
  assert.equal(await common.sync(file), true)
  assert.equal(await common.sync({ ...file, descriptor: 1_000_000 }), false)
})
