import assert from 'node:assert/strict'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FileSyncs } from '../../../../src/platform/node/threads/file-syncs.ts'
import { eventually, scratchDirectory } from '../../../support/scratch.ts'

const DEVICE = 1
const MANY = 20

/** Syncs of open files, with common ones that end when the test says so. */
function syncing(directory: string, mayUse: (deviceId: number) => boolean = () => true) {
  const descriptors: number[] = []
  const common: { readonly descriptor: number; readonly end: (isDurable: boolean) => void }[] = []
  const done: number[] = []
  const syncs = new FileSyncs({
    maySync: ({ deviceId }) => mayUse(deviceId),
    sync: ({ descriptor }) => new Promise((end) => common.push({ descriptor, end })),
  })
  return {
    common,
    done,
    syncs,
    add(count: number, deviceId = DEVICE): void {
      for (let i = 0; i < count; i++) {
        const number = descriptors.length
        const descriptor = openSync(join(directory, String(number)), 'w')
        descriptors.push(descriptor)
        syncs.add({ descriptor, deviceId }, (error) => {
          assert.equal(error, null)
          done.push(number)
        })
      }
    },
    descriptor: (number: number) => descriptors[number],
    until: (count: number) => eventually(`${count} files synced`, () => (done.length >= count ? true : undefined)),
    [Symbol.dispose]: () => descriptors.forEach((descriptor) => closeSync(descriptor)),
  }
}

test('many files that are written in one turn are synced by one call, those after them by the next', async () => {
  using scratch = scratchDirectory()
  using all = syncing(scratch.path)

  all.add(MANY)
  await eventually('common sync 1', () => all.common[0])
  all.add(MANY) // meanwhile
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  assert.equal(all.common.length, 1)
  assert.equal(all.common[0]?.descriptor, all.descriptor(0))
  assert.deepEqual(all.done, [])

  all.common[0]?.end(true)
  await eventually('common sync 2', () => all.common[1])
  assert.deepEqual(
    all.done,
    Array.from({ length: MANY }, (_, number) => number),
  )
  assert.equal(all.common[1]?.descriptor, all.descriptor(MANY))
  all.common[1]?.end(true)
  await all.until(2 * MANY)
  assert.equal(all.syncs.isBusy, false)
})

test('a few files are synced by themselves', async () => {
  using scratch = scratchDirectory()
  using all = syncing(scratch.path)
  all.add(3)
  await all.until(3)
  assert.equal(all.common.length, 0)
})

test('where a common sync fails, each file is synced by itself', async () => {
  using scratch = scratchDirectory()
  using all = syncing(scratch.path)
  all.add(MANY)
  await eventually('common sync 1', () => all.common[0])
  all.common[0]?.end(false)
  await all.until(MANY)
  assert.equal(all.common.length, 1)
})

test('files of another file system are not part of a common sync', async () => {
  using scratch = scratchDirectory()
  using all = syncing(scratch.path, (deviceId) => deviceId === DEVICE)
  all.add(MANY)
  all.add(MANY, DEVICE + 1)
  await eventually('common sync 1', () => all.common[0])
  all.common[0]?.end(true)
  await all.until(2 * MANY)
  assert.deepEqual(
    all.done.slice(0, MANY),
    Array.from({ length: MANY }, (_, number) => number),
  )
  assert.equal(all.common.length, 1)
})

test('the number of open files is bounded', async () => {
  using scratch = scratchDirectory()
  using all = syncing(scratch.path)
  let count = 0
  for (; all.syncs.hasRoom && count < 10_000; count++) all.add(1)
  assert.ok(count < 1_000, String(count))
  await eventually('common sync 1', () => all.common[0])
  all.common[0]?.end(true)
  await all.until(count)
})
