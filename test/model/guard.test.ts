import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../src/core/errors.ts'
import { DOCS } from '../support/model.ts'
import type { SimDevice } from '../sim/device.ts'
import { filesOf, SomeDevices, write } from '../sim/some-devices.ts'

const FILES = 24

/** Two devices with the same files. What the first synchronization brought is not new. */
async function pair(): Promise<{ some: SomeDevices; here: SimDevice; other: SimDevice }> {
  const some = await SomeDevices.start('here', 'other')
  const [here, other] = some.devices as [SimDevice, SimDevice]
  here.guards = true
  for (let i = 0; i < FILES; i++) write(other, `d/f${i}.txt`, `content ${i}`)
  assert.equal(await some.converge(), undefined)
  return { some, here, other }
}

function removeAll(device: SimDevice): void {
  device.disk.direct.remove(`${device.root}/d`)
}

const guardOf = async ({ model }: SimDevice) => (await model!.guard(DOCS)).held

async function heldOf(device: SimDevice): Promise<readonly string[]> {
  return (await guardOf(device)).map(({ side, deletions, truncations }) => `${side} ${deletions} ${truncations}`)
}

test('a loss by the own disk is held, and vanishes when the disk is back', async () => {
  const { some, here, other } = await pair()
  await using _some = some
  const before = here.disk.direct.tree(here.root)
  removeAll(here)
  await some.scanAll()
  await some.pass(60_000)
  assert.deepEqual(await heldOf(here), [`local ${FILES} 0`])
  assert.equal(filesOf(other).length, FILES, 'announced')
  // Everything else goes on.
  write(here, 'new.txt', 'new')
  write(other, 'other.txt', 'other')
  await some.scanAll()
  await some.pass(60_000)
  assert.equal(filesOf(other).length, FILES + 2)
  assert.equal(filesOf(here).length, 2)
  // It survives a restart.
  here.crash()
  await here.start()
  await some.pass(60_000)
  assert.deepEqual(await heldOf(here), [`local ${FILES} 0`])
  assert.equal(filesOf(other).length, FILES + 2, 'announced after a restart')
  for (const [path, item] of before)
    if (item.type === 'file' && path.startsWith('d/')) write(here, path, Buffer.from(item.content).toString())
  await some.scanAll()
  await some.pass(60_000)
  assert.deepEqual(await heldOf(here), [])
  assert.equal(await some.converge(), undefined)
  assert.equal(filesOf(other).length, FILES + 2)
})

test('an applied loss of the own disk is announced', async () => {
  const { some, here, other } = await pair()
  await using _some = some
  removeAll(here)
  await some.scanAll()
  await some.during(here.model!.decideGuard(DOCS, 'apply', undefined))
  assert.deepEqual(await heldOf(here), [])
  assert.equal(await some.converge(), undefined)
  assert.deepEqual(filesOf(other), [])
})

test('a refused loss of the own disk is fetched from the other device', async () => {
  const { some, here, other } = await pair()
  await using _some = some
  removeAll(here)
  write(here, 'd/f3.txt', '')
  await some.scanAll()
  assert.deepEqual(await heldOf(here), [`local ${FILES - 1} 1`])
  await some.during(here.model!.decideGuard(DOCS, 'refuse', 'local'))
  assert.equal(await some.converge(), undefined)
  assert.deepEqual(filesOf(here), filesOf(other))
  assert.equal(filesOf(here).length, FILES)
})

test('a refusal is refused where no connected device has the files', async () => {
  const { some, here, other } = await pair()
  await using _some = some
  removeAll(here)
  await some.scanAll()
  other.crash()
  await some.pass(600_000)
  await assert.rejects(
    some.during(here.model!.decideGuard(DOCS, 'refuse', 'local')),
    (error) => error instanceof TwinfoldError && error.code === 'refused' && /no connected device/.test(error.message),
  )
  assert.deepEqual(await heldOf(here), [`local ${FILES} 0`])
  await other.start()
})

test('files that are emptied here are held and served as missing', async () => {
  const { some, here, other } = await pair()
  await using _some = some
  for (let i = 0; i < FILES; i++) write(here, `d/f${i}.txt`, '')
  await some.scanAll()
  await some.pass(60_000)
  assert.deepEqual(await heldOf(here), [`local 0 ${FILES}`])
  assert.equal(filesOf(other).filter((line) => line.endsWith(': ')).length, 0)
  await some.during(here.model!.decideGuard(DOCS, 'apply', undefined))
  assert.equal(await some.converge(), undefined)
  assert.equal(filesOf(other).filter((line) => line.endsWith(': ')).length, FILES)
})

test('a loss by another device is held without old versions, over a restart, until it is applied', async () => {
  const { some, here, other } = await pair()
  await using _some = some
  removeAll(other)
  await some.scanAll()
  await some.pass(60_000)
  assert.deepEqual(await heldOf(here), [`remote ${FILES} 0`])
  assert.equal((await guardOf(here))[0]!.origin, other.id)
  assert.equal(filesOf(here).length, FILES)
  write(other, 'later.txt', 'later')
  here.crash()
  await here.start()
  await some.scanAll()
  await some.pass(60_000)
  assert.deepEqual(await heldOf(here), [`remote ${FILES} 0`])
  assert.equal(filesOf(here).length, FILES + 1)
  await some.during(here.model!.decideGuard(DOCS, 'apply', undefined))
  assert.equal(await some.converge(), undefined)
  assert.deepEqual(filesOf(here), ['later.txt: later'])
  assert.deepEqual(await heldOf(here), [])
})

test('a refused loss by another device is brought back there', async () => {
  const { some, here, other } = await pair()
  await using _some = some
  for (let i = 0; i < FILES; i++) write(other, `d/f${i}.txt`, '')
  other.disk.direct.remove(`${other.root}/d/f1.txt`)
  await some.scanAll()
  await some.pass(60_000)
  assert.deepEqual(await heldOf(here), [`remote 1 ${FILES - 1}`])
  await some.during(here.model!.decideGuard(DOCS, 'refuse', undefined))
  assert.equal(await some.converge(), undefined)
  assert.deepEqual(filesOf(here), filesOf(other))
  assert.equal(filesOf(here).filter((line) => /content/.test(line)).length, FILES)
})

test('files that another device moves are no loss here', async () => {
  const { some, here, other } = await pair()
  await using _some = some
  here.crash() // so that both arrive together
  removeAll(other)
  for (let i = 0; i < FILES; i++) write(other, `moved/${FILES - i}.txt`, `content ${i}`)
  await some.scanAll()
  await here.start()
  assert.equal(await some.converge(), undefined)
  assert.ok(some.eventTypes.has('ItemFinished') && !some.eventTypes.has('FolderGuardHeld'), 'held for a moment')
  assert.deepEqual(filesOf(here), filesOf(other))
  assert.equal(filesOf(here).length, FILES)
})

test('a loss by another device that is undone there is held no longer', async () => {
  const { some, here, other } = await pair()
  await using _some = some
  removeAll(other)
  await some.scanAll()
  await some.pass(60_000)
  for (let i = 0; i < FILES; i++) write(other, `d/f${i}.txt`, `content ${i}`)
  assert.equal(await some.converge(), undefined)
  assert.deepEqual(await heldOf(here), [])
  assert.equal(filesOf(here).length, FILES)
})

test('a hold of a few files, after others were announced, stays over restarts and hours', async () => {
  const { some, here, other } = await pair()
  await using _some = some
  const remove = (from: number, to: number) => {
    for (let i = from; i < to; i++) here.disk.direct.remove(`${here.root}/d/f${i}.txt`)
  }
  remove(0, 12)
  assert.equal(await some.converge(), undefined)
  assert.equal(filesOf(other).length, FILES - 12)
  remove(12, 21)
  await some.scanAll()
  assert.deepEqual(await heldOf(here), ['local 9 0'])
  here.crash()
  await here.start()
  await some.pass(2 * 3_600_000)
  await some.scanAll()
  await some.pass(60_000)
  assert.deepEqual(await heldOf(here), ['local 9 0'])
  assert.equal(filesOf(other).length, FILES - 12)
})
