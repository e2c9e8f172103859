/** The shape of ransomware, and ordinary work of another device, on a device with a guard. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SimRandom } from '../../src/platform/sim/random.ts'
import type { FolderCheck } from '../../src/model/folder/folder-checks.ts'
import { FolderTasks, type FolderTasksDeps } from '../../src/model/folder/folder-tasks.ts'
import { DOCS, NEVER } from '../support/model.ts'
import type { SimDevice } from '../sim/device.ts'
import { filesOf, SomeDevices, write } from '../sim/some-devices.ts'

const FILES = 24
const SIZE_BYTES = 4_096
const random = new SimRandom(33)

async function pair(): Promise<{ some: SomeDevices; here: SimDevice; other: SimDevice }> {
  const some = await SomeDevices.start('here', 'other')
  const [here, other] = some.devices as [SimDevice, SimDevice]
  here.guards = true
  for (let i = 0; i < FILES; i++) write(other, `d/f${i}.txt`, `content ${i} `.repeat(300))
  assert.equal(await some.converge(), undefined)
  return { some, here, other }
}

function replaceAll(device: SimDevice, contentOf: (i: number) => Uint8Array): void {
  for (let i = 0; i < FILES; i++) {
    device.disk.direct.remove(`${device.root}/d/f${i}.txt`)
    device.disk.direct.write(`${device.root}/d/f${i}.txt.locked`, contentOf(i))
  }
}

const guardOf = async ({ model }: SimDevice) => await model!.guard(DOCS)

test('files that other ones with random bytes replace are noticed, never held, until that is dismissed', async () => {
  for (const by of ['here', 'other'] as const) {
    const { some, here, other } = await pair()
    await using _some = some
    replaceAll(by === 'here' ? here : other, () => random.bytes(SIZE_BYTES))
    assert.equal(await some.converge(), undefined)
    const { held, notices } = await guardOf(here)
    assert.deepEqual(held, [])
    assert.deepEqual(
      notices.map(({ deletions, kind }) => `${kind} ${deletions}`),
      [`rewritten ${FILES}`],
      by,
    )
    // It survives a restart: old versions stay until the user has seen it.
    here.crash()
    await here.start()
    await some.pass(60_000)
    assert.equal((await guardOf(here)).notices.length, 1)
    await some.during(here.model!.dismissGuard(DOCS))
    await some.scanAll()
    assert.deepEqual((await guardOf(here)).notices, [])
  }
})

test('a conversion to another format is neither held nor noticed', async () => {
  const { some, here, other } = await pair()
  await using _some = some
  replaceAll(other, (i) => Buffer.from(`converted ${i} `.repeat(300)))
  assert.equal(await some.converge(), undefined)
  const { held, notices } = await guardOf(here)
  assert.deepEqual([held, notices], [[], []])
  assert.deepEqual(filesOf(here), filesOf(other))
})

test('a renamed directory of another device is not held, nor one that is copied and removed later', async () => {
  const { some, here, other } = await pair()
  await using _some = some
  await other.disk.rename(`${other.root}/d`, `${other.root}/e`)
  assert.equal(await some.converge(), undefined)
  assert.equal(filesOf(here).filter((line) => line.startsWith('e/')).length, FILES)
  // Its content is not new.
  other.disk.direct.remove(`${other.root}/e`)
  await some.scanAll()
  await some.pass(60_000)
  assert.equal((await guardOf(here)).held.length, 1)
  for (let i = 0; i < FILES; i++) write(other, `e/f${i}.txt`, `content ${i} `.repeat(300))
  assert.equal(await some.converge(), undefined)
  for (let i = 0; i < FILES; i++) write(other, `z/f${i}.txt`, `content ${i} `.repeat(300))
  assert.equal(await some.converge(), undefined)
  other.disk.direct.remove(`${other.root}/e`)
  assert.equal(await some.converge(), undefined)
  assert.deepEqual((await guardOf(here)).held, [])
  assert.equal(filesOf(here).length, FILES)
})

test('what another device unpacks and deletes within the hour is not held, what it deletes later is', async () => {
  const { some, here, other } = await pair()
  await using _some = some
  for (let i = 0; i < 3 * FILES; i++) write(other, `zip/f${i}.txt`, `unpacked ${i}`)
  assert.equal(await some.converge(), undefined)
  other.disk.direct.remove(`${other.root}/zip`)
  assert.equal(await some.converge(), undefined)
  assert.equal(filesOf(here).length, FILES)
  for (let i = 0; i < 3 * FILES; i++) write(other, `zip/f${i}.txt`, `again ${i}`)
  assert.equal(await some.converge(), undefined)
  await some.pass(3_700_000)
  other.disk.direct.remove(`${other.root}/zip`)
  await some.scanAll()
  await some.pass(60_000)
  assert.deepEqual(
    (await guardOf(here)).held.map(({ deletions, side }) => `${side} ${deletions}`),
    [`remote ${3 * FILES}`],
  )
  assert.equal(filesOf(here).length, 4 * FILES)
})

test('old versions are not cleaned up while files look encrypted', async () => {
  const done: string[] = []
  for (const isFrozen of [true, false]) {
    const pulls = { exclude: async () => ({ [Symbol.dispose]: () => {} }) }
    const versions = { clean: async () => void done.push(`clean, frozen: ${isFrozen}`) }
    const guard = { isFrozenNow: async () => isFrozen }
    const tasks = new FolderTasks({ pulls, versions, guard } as unknown as FolderTasksDeps, { type: 'sendreceive' })
    await tasks.cleanUp.run({} as FolderCheck, NEVER)
  }
  assert.deepEqual(done, ['clean, frozen: false'])
})
