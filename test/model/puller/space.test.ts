import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SpaceCheck } from '../../../src/model/puller/space.ts'
import { createSimPlatform } from '../../../src/platform/sim/platform.ts'

function checkWith(freeBytes: number) {
  const { clock } = createSimPlatform(1)
  const reads: string[] = []
  const disk = {
    space: async (path: string) => {
      reads.push(path)
      await Promise.resolve()
      return { freeBytes, totalBytes: 1_000 }
    },
  }
  const space = new SpaceCheck({ disk, clock, root: '/data', label: () => 'docs' }, { value: 10, unit: '%' })
  return { space, reads }
}

test('files that begin at the same time share one reading of the space', async () => {
  const { space, reads } = checkWith(1_000)
  await Promise.all([1, 2, 3].map((sizeBytes) => space.require(sizeBytes)))
  assert.deepEqual(reads, ['/data'])
})

test('a reading that was begun before the first file is not repeated', async () => {
  const { space, reads } = checkWith(1_000)
  space.begin()
  space.begin()
  await space.require(1)
  assert.deepEqual(reads, ['/data'])
})

test('what files that begin at the same time will take is added up', async () => {
  const { space } = checkWith(200)
  const outcomes = await Promise.allSettled([60, 60].map((sizeBytes) => space.require(sizeBytes)))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
})

test('at once a file fits only by a valid reading, and counts', async () => {
  const { reads, space } = checkWith(200)
  assert.equal(space.takesNow(1), false)
  assert.deepEqual(reads, [])
  space.begin()
  await space.require(10)
  assert.equal(space.takesNow(60), true)
  assert.equal(space.takesNow(60), false)
  assert.equal(space.takesNow(10), true)
  await assert.rejects(space.require(60), { code: 'item-failed' })
})
