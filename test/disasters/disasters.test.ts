/**
 * Ten disasters of a folder that a Twinfold shares with two Syncthings, one after the other: what each device has
 * afterwards is compared with what it had before.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { scratchDirectory } from '../support/scratch.ts'
import { Network, type Member } from '../support/sync-pair.ts'
import { untilInSync } from '../support/until-in-sync.ts'
import { missingSyncthing } from '../support/syncthing.ts'
import {
  contentsOf,
  deleteAll,
  DisasterScene,
  encryptAll,
  filesBelow,
  renameAll,
  truncateAll,
  withProgram,
  type Contents,
} from './disaster-scene.ts'

/** 1.29 and 2.1; without a 2.1 both are 1.29. */
const LAPTOP = ''
const PHONE = process.env['SYNCTHING2_BIN'] ?? LAPTOP
const skip = missingSyncthing() ?? false

const figures: string[] = []
after(() => console.log(['', 'disaster: files before, lost afterwards on any device', ...figures].join('\n')))

function check(scene: DisasterScene, title: string, before: Contents): void {
  const lost = scene.lost(before)
  figures.push(`${title}: ${before.size} on each of 3 devices, lost ${lost.length}`)
  assert.deepEqual(lost, [], title)
}

/** A moment after everything so far and before everything that follows: times of the history are milliseconds. */
async function moment(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  const nowMs = Date.now()
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  return nowMs
}

/** A peer destroys everything; the trash has it, and a rewind brings it back on all devices. */
async function rewound(scene: DisasterScene, title: string, destroy: (member: Member) => void): Promise<void> {
  const before = await scene.fill(title)
  const atMs = await moment()
  destroy(scene.laptop)
  await scene.settle()
  assert.ok(scene.lost(before).length >= before.size, 'the disaster has reached all devices')
  await scene.untilNoticed()
  await scene.rewind(atMs)
  const { state, gone, failed } = await scene.untilRewound()
  assert.deepEqual({ state, gone, failed }, { state: 'done', gone: 0, failed: 0 }, title)
  await scene.settle()
  check(scene, title, before)
}

test('ten disasters, and what is left of the files', { skip, timeout: 900_000 }, async (t) => {
  using scratch = scratchDirectory()
  await using network = await Network.open(scratch.path)
  const scene = await DisasterScene.open(network, [LAPTOP, PHONE])
  const { nas, laptop, phone } = scene

  await t.test('1 a peer deletes all', () => rewound(scene, 'delete all', deleteAll))
  await t.test('2 a peer truncates all', () => rewound(scene, 'truncate all', truncateAll))
  await t.test('3 a peer encrypts all', () => rewound(scene, 'encrypt all', encryptAll))

  await t.test('4 the wrong disk is mounted', async () => {
    const before = await scene.fill('wrong disk')
    renameSync(nas.root, `${nas.root}-right`)
    mkdirSync(join(nas.root, '.stfolder'), { recursive: true })
    writeFileSync(join(nas.root, 'other.txt'), 'of another disk')
    await nas.scan()
    await scene.untilHeld('local')
    for (const peer of [laptop, phone]) await peer.scan()
    assert.equal(filesBelow(laptop.root).length >= before.size, true, 'nothing is deleted elsewhere')
    rmSync(nas.root, { recursive: true })
    renameSync(`${nas.root}-right`, nas.root)
    await nas.scan()
    await scene.untilNothingHeld()
    await scene.settle()
    check(scene, 'wrong disk', before)
  })

  await t.test('5 half a disk is mounted', async () => {
    const before = await scene.fill('half a disk')
    for (const half of ['d0', 'd1']) rmSync(join(nas.root, 'half a disk', half), { recursive: true })
    await nas.scan()
    await scene.untilHeld('local')
    await laptop.scan()
    assert.equal(contentsOf(laptop).size, before.size, 'nothing is deleted elsewhere')
    await scene.decide('refuse')
    await scene.untilNothingHeld()
    await scene.settle()
    check(scene, 'half a disk', before)
  })

  await t.test('6 a device is back after a year', async () => {
    const filled = await scene.fill('a year')
    await phone.stop()
    const [deleted, edited, ...others] = [...filled.keys()]
    rmSync(join(laptop.root, deleted!))
    writeFileSync(join(laptop.root, edited!), 'the edit of this year')
    await laptop.scan()
    await untilInSync([nas, laptop])
    const before = contentsOf(laptop)
    await withProgram(PHONE, () => phone.start())
    await scene.settle()
    assert.equal(contentsOf(nas).has(deleted!), false, 'what was deleted meanwhile does not return')
    assert.equal(
      others.every((path) => before.has(path)),
      true,
    )
    check(scene, 'a year', before)
  })

  await t.test('7 rm -rf on the NAS', async () => {
    const before = await scene.fill('rm -rf')
    deleteAll(nas)
    await nas.scan()
    await scene.untilHeld('local')
    for (const peer of [laptop, phone]) await peer.scan()
    assert.deepEqual([contentsOf(laptop).size, contentsOf(phone).size], [before.size, before.size])
    await scene.decide('refuse')
    await scene.untilNothingHeld()
    await scene.settle()
    check(scene, 'rm -rf on the NAS', before)
  })

  await t.test('8 a rename of everything', async () => {
    const before = await scene.fill('rename')
    renameAll(laptop)
    await scene.settle()
    assert.deepEqual((await scene.guard()).held, [], 'a rename is no loss')
    check(scene, 'rename of everything', new Map([...before].map(([path, digest]) => [`renamed ${path}`, digest])))
  })

  await t.test('9 a rewind is interrupted', async () => {
    const before = await scene.fill('interrupted')
    const atMs = await moment()
    deleteAll(laptop)
    await scene.settle()
    await scene.rewind(atMs)
    await nas.kill()
    await nas.start()
    const { state, gone } = await scene.untilRewound()
    assert.deepEqual({ state, gone }, { state: 'done', gone: 0 })
    await scene.settle()
    check(scene, 'interrupted rewind', before)
  })

  await t.test('10 a second disaster during the rewind', async () => {
    const before = await scene.fill('second')
    const atMs = await moment()
    deleteAll(laptop)
    await scene.settle()
    await scene.rewind(atMs)
    deleteAll(laptop)
    encryptAll(phone)
    await Promise.all([laptop.scan(), phone.scan()])
    await scene.untilRewound()
    await scene.settle()
    await scene.rewind(atMs)
    const { state } = await scene.untilRewound()
    assert.equal(state, 'done')
    await scene.settle()
    check(scene, 'second disaster during the rewind', before)
    assert.ok(existsSync(join(nas.root, '.stversions')))
  })
})
