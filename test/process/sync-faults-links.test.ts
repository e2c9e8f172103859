import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { statusOf } from '../support/daemon-pair.ts'
import { reportRow } from '../support/effort.ts'
import { DIRECTORY, fileRecord, request, sha256, SYMLINK, type WireRecord } from '../support/wire-frames.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { SECRET, CONTENT, Scene } from './names-scene.ts'

test('N-05: nothing is written, read or removed through a symlink that a peer made', async () => {
  using directory = scratchDirectory()
  await using scene = await Scene.start(directory.path)
  await scene.share()
  const { device, canary } = scene
  const targets = [
    canary,
    '../canary',
    '../canary/',
    './../canary',
    '../a/../canary',
    '..',
    '/',
    '.',
    'link-self',
    'nowhere',
    'x'.repeat(4_095),
    '/proc/self/cwd',
    `${canary}/sub`,
    '../canary/secret',
    '../canary/made-by-following',
  ]
  const figures = { tried: 0, handled: 0, links: 0 }
  let sequence = 0
  let leaked = 0
  await using talk = await scene.talk()
  talk.onAnswer = ({ data }) => {
    leaked += data.length
  }
  const send = async (records: readonly WireRecord[]): Promise<void> => {
    await talk.update(records.map((record) => ({ ...record, sequence: ++sequence })))
    assert.equal(await talk.isAlive(), true)
  }
  for (const [i, target] of targets.entries()) {
    const link = target === 'link-self' ? 'link-self' : `link-${i}`
    const below: readonly WireRecord[] = [
      fileRecord(`${link}/planted`, CONTENT),
      { name: `${link}/made`, type: DIRECTORY },
      { name: `${link}/l`, type: SYMLINK, target: 'secret' },
      { name: `${link}/secret`, deleted: true },
      fileRecord(`${link}/secret2`, CONTENT),
      { name: `${link}/sub`, deleted: true, type: DIRECTORY },
    ]
    // Once all at once, once the entries when the link stands there, once newer ones over a directory that was there
    // first.
    await send([{ name: link, type: SYMLINK, target }, ...below])
    await scene.settled()
    await send(below.map((record) => ({ ...record, counter: 2 })))
    await send([{ name: `dir-${i}`, type: DIRECTORY }, fileRecord(`dir-${i}/secret`, CONTENT)])
    await scene.settled()
    await send([
      { name: `dir-${i}`, type: SYMLINK, target, counter: 2 },
      { name: `dir-${i}/secret`, deleted: true, counter: 2 },
    ])
    await send([fileRecord(`dir-${i}/secret`, Buffer.from('another\n'), { counter: 3 })])
    await talk.send('Request', request({ id: 5, name: `${link}/secret`, size: SECRET.length, hash: sha256(SECRET) }))
    figures.tried += below.length * 2 + 3
    figures.handled += (await talk.isAlive()) ? below.length * 2 + 3 : 0
    await scene.settled()
    figures.links += Number(lstatSync(join(device.root, link), { throwIfNoEntry: false })?.isSymbolicLink() === true)
  }
  const changedOutside = scene.changedOutside()
  reportRow({ id: 'N-05', ...figures, escapes: changedOutside, bytesLeaked: leaked, peakRssMiB: device.peakRssMib() })
  assert.equal(changedOutside, 0)
  assert.equal(leaked, 0)
  assert.equal(figures.handled, figures.tried)
  assert.ok(figures.links > targets.length / 2, 'links were made at all')
})

/** What may stand where the device is about to write. */
const OBSTACLES: readonly (readonly [kind: string, make: (path: string, canary: string) => void])[] = [
  ['a symlink to a file outside', (path, canary) => symlinkSync(join(canary, 'secret'), path)],
  ['a symlink to nothing outside', (path, canary) => symlinkSync(join(canary, 'made-by-following'), path)],
  ['a symlink to a directory outside', (path, canary) => symlinkSync(canary, path)],
  ['a fifo', (path) => execFileSync('mkfifo', [path])],
  [
    'a directory with something in it',
    (path) => {
      mkdirSync(path)
      writeFileSync(join(path, 'theirs'), SECRET)
    },
  ],
  ['an empty directory', (path) => mkdirSync(path)],
  ['a read-only file', (path) => writeFileSync(path, SECRET, { mode: 0o400 })],
]

test('N-06: an item under a temporary or final name is never followed and does not block', async () => {
  using directory = scratchDirectory()
  await using scene = await Scene.start(directory.path)
  await scene.share()
  const { device, canary } = scene
  const figures = { tried: 0, finished: 0, errorsListed: 0, wrongContent: 0 }
  await using talk = await scene.talk()
  const records: WireRecord[] = []
  for (const [i, [, make]] of OBSTACLES.entries()) {
    make(join(device.root, `.syncthing.temp-${i}.tmp`), canary)
    make(join(device.root, `final-${i}`), canary)
    records.push(fileRecord(`temp-${i}`, CONTENT), fileRecord(`final-${i}`, CONTENT))
  }
  figures.tried = records.length
  await talk.update(records.map((record, i) => ({ ...record, sequence: i + 1 })))
  assert.equal(await talk.isAlive(), true)
  await eventually(
    'every file tried',
    async () => {
      const { errors } = (await device.daemon.get('/rest/folder/errors?folder=docs')) as {
        errors: readonly unknown[] | null
      }
      figures.errorsListed = errors?.length ?? 0
      figures.finished = records.filter(({ name }) => isRegular(join(device.root, name.toString()))).length
      const { state, needTotalItems, globalTotalItems } = await statusOf(device)
      const seen = { state, needTotalItems, globalTotalItems, ...figures }
      // A scan may have found what stands there and made it ours: then it is no longer needed, and no error any more.
      const settled = state === 'idle' && globalTotalItems >= records.length && needTotalItems <= figures.errorsListed
      if (!settled) throw new Error(JSON.stringify(seen))
      return true
    },
    60_000,
  )
  for (const [i] of OBSTACLES.entries()) {
    const path = join(device.root, `temp-${i}`)
    if (isRegular(path)) figures.wrongContent += Number(readFileSync(path, 'utf8') !== CONTENT.toString())
  }
  const changedOutside = scene.changedOutside()
  reportRow({ id: 'N-06', ...figures, escapes: changedOutside })
  assert.equal(changedOutside, 0)
  assert.equal(figures.wrongContent, 0)
})

test('N-06: a folder whose marker is of another type stops, and changes nothing', async () => {
  using directory = scratchDirectory()
  await using scene = await Scene.start(directory.path)
  const { device, canary } = scene
  const figures = { tried: 0, handled: 0 }
  for (const [i, [kind, make]] of OBSTACLES.entries()) {
    const root = join(directory.path, 'a', `m${i}`)
    mkdirSync(root)
    make(join(root, '.stfolder'), canary)
    await device.daemon.addFolder(`m${i}`, root)
    figures.tried++
    const reply = await device.daemon.request('POST', `/rest/db/scan?folder=m${i}`)
    figures.handled += Number(device.isRunning && (reply.status === 200 || reply.status === 500))
    assert.equal(existsSync(join(canary, 'made-by-following')), false, kind)
  }
  reportRow({ id: 'N-06', what: 'marker', ...figures, escapes: scene.changedOutside() })
  assert.equal(figures.handled, figures.tried)
  assert.equal(scene.changedOutside(), 0)
})

function isRegular(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
}
