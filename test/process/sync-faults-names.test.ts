import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { contentsOf, type Device } from '../support/device-pair.ts'
import { reportRow } from '../support/effort.ts'
import { request, sha256, type WireRecord } from '../support/wire-frames.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { type NameCase, NAMES, SECRET, CONTENT, Scene, recordsOf, TEMPORARY } from './names-scene.ts'

test('N-01: no name in an index of a trusted peer reaches anything outside the folder', async () => {
  using directory = scratchDirectory()
  await using scene = await Scene.start(directory.path)
  await scene.share()
  const { device } = scene
  const figures = { tried: 0, handled: 0, closed: 0, kept: 0, unexpected: 0 }
  let sequence = 0
  let talk = await scene.talk()
  const offer = async ({ name, reaction, why }: NameCase, record: WireRecord): Promise<void> => {
    figures.tried++
    await talk.update([{ ...record, sequence: ++sequence }])
    const seen = (await talk.isAlive()) ? 'kept' : 'closed'
    figures.handled += Number(device.isRunning)
    figures[seen]++
    figures.unexpected += Number(seen !== reaction)
    assert.equal(seen, reaction, `${why}: ${JSON.stringify(name.toString().slice(0, 80))}: ${talk.closeReason}`)
    if (seen === 'closed') {
      await talk[Symbol.asyncDispose]()
      talk = await scene.talk()
    }
  }
  for (const [i, each] of NAMES.entries()) {
    const records = recordsOf(each.name, '../canary')
    const isAimed = each.name.toString().includes('canary')
    const chosen = each.reaction === 'kept' || isAimed ? records : records.slice(i % 4, (i % 4) + 1)
    for (const record of chosen) await offer(each, record)
  }
  await scene.settled()
  await talk[Symbol.asyncDispose]()
  const made = contentsOf(device.root)
  const changedOutside = scene.changedOutside()
  // A file that was overtaken by a newer record may leave its temporary file, which the next pull or a day later clears
  // up.
  const temporaries = [...made].filter(([path, what]) => isTemporaryPath(path) && what.startsWith('file'))
  const ours = [...made].filter(
    ([path, what]) => /^\.st(ignore|versions)/.test(path) || (isTemporaryPath(path) && !what.startsWith('file')),
  )
  reportRow({
    id: 'N-01',
    names: NAMES.length,
    ...figures,
    canaryChanged: changedOutside,
    ownNamesMade: ours.length,
    temporariesLeft: temporaries.length,
    peakRssMiB: device.peakRssMib(),
  })
  assert.ok(NAMES.length >= 300)
  assert.equal(figures.handled, figures.tried)
  assert.equal(changedOutside, 0)
  assert.deepEqual(ours, [])
  assert.deepEqual(
    readdirSync(join(device.root, '.stfolder')).filter((name) => !name.startsWith('syncthing-folder-')),
    [],
  )
  assert.equal((await device.daemon.request('GET', '/rest/db/browse?folder=docs')).status, 200)
})

/** Names that would lead to the canary. */
function aimedNames(canary: string): readonly string[] {
  return [
    'link/secret',
    'link/sub/deeper',
    'secret-link',
    'absolute-link',
    'swapped/secret',
    'dir/../../canary/secret',
    '../canary/secret',
    join(canary, 'secret'),
    `..${canary}/secret`,
    '.stignore',
    'link',
    'dir/link/secret',
    'link/../secret',
    '.stfolder/../../canary/secret',
    'dir\0/../../canary/secret',
    `/proc/self/root${canary}/secret`,
    '/proc/self/cwd/canary/secret',
  ]
}

interface QueryFigures {
  restTried: number
  restServerErrors: number
  bytesLeaked: number
}

/** Every name as a parameter of the REST routes that read or scan below a folder. */
async function queryNames(
  device: Device,
  names: readonly (string | Uint8Array)[],
  figures: QueryFigures,
): Promise<void> {
  for (const name of names) {
    const text =
      typeof name === 'string'
        ? encodeURIComponent(name)
        : `%${Buffer.from(name)
            .toString('hex')
            .replace(/(..)(?=.)/g, '$1%')}`
    for (const [method, path] of [
      ['GET', 'file?folder=docs&file='],
      ['GET', 'browse?folder=docs&prefix='],
      ['POST', 'scan?folder=docs&sub='],
    ] as const) {
      figures.restTried++
      const reply = await device.daemon.request(method, `/rest/db/${path}${text}`)
      const body = await reply.text()
      figures.restServerErrors += Number(reply.status >= 500 && method === 'GET')
      for (const secret of [SECRET.trim(), 'deeper'])
        if (body.includes(secret) && !text.includes(secret)) figures.bytesLeaked += secret.length
    }
  }
}

test('N-02: no name in a request, nor in a REST query, reads anything outside the folder', async () => {
  using directory = scratchDirectory()
  await using scene = await Scene.start(directory.path)
  const { device, canary } = scene
  symlinkSync('../canary', join(device.root, 'link'))
  symlinkSync('../canary/secret', join(device.root, 'secret-link'))
  symlinkSync(join(canary, 'secret'), join(device.root, 'absolute-link'))
  mkdirSync(join(device.root, 'dir'))
  writeFileSync(join(device.root, 'dir', 'known'), CONTENT)
  writeFileSync(join(device.root, '.stignore'), SECRET.replace(/^/, '// '))
  await scene.share()
  // A directory that the index knows, and that has become a way out since.
  mkdirSync(join(device.root, 'swapped'))
  writeFileSync(join(device.root, 'swapped', 'secret'), SECRET)
  await device.scan()
  execFileSync('rm', ['-r', join(device.root, 'swapped')])
  symlinkSync('../canary', join(device.root, 'swapped'))
  const aimed = aimedNames(canary)
  const hashes = [sha256(SECRET), sha256(SECRET.replace(/^/, '// '))]
  const figures = { tried: 0, handled: 0, bytesLeaked: 0, restTried: 0, restServerErrors: 0 }
  let talk = await scene.talk()
  const listen = (): void => {
    talk.onAnswer = ({ id, data }) => {
      if (id !== 1) figures.bytesLeaked += data.length
    }
  }
  listen()
  for (const name of [...aimed, ...NAMES.map((each) => each.name)]) {
    for (const fromTemporary of [false, true]) {
      figures.tried++
      const hash = hashes[figures.tried % 2] ?? hashes[0]!
      for (const [id, wanted] of [
        [2, hash],
        [3, hashes[0]!],
      ] as const) {
        await talk.send('Request', request({ id, name, size: SECRET.length, hash: wanted, fromTemporary }))
      }
      const alive = await talk.isAlive()
      figures.handled += Number(device.isRunning)
      if (alive) continue
      await talk[Symbol.asyncDispose]()
      talk = await scene.talk()
      listen()
    }
  }
  // The same peer does get what is its own to see: the questions above could have been answered.
  let served: string | undefined
  talk.onAnswer = ({ id, data, code }) => {
    if (id === 1) served = `${Buffer.from(data).toString()}${code === 0 ? '' : ` refused: ${code}`}`
  }
  await talk.send('Request', request({ id: 1, name: 'dir/known', size: CONTENT.length, hash: sha256(CONTENT) }))
  await talk.until('the answer to an honest request', () => served !== undefined)
  assert.equal(served, CONTENT.toString())
  await talk[Symbol.asyncDispose]()

  await queryNames(device, [...aimed, ...NAMES.map((each) => each.name)], figures)
  reportRow({ id: 'N-02', ...figures, canaryChanged: scene.changedOutside(), peakRssMiB: device.peakRssMib() })
  assert.equal(figures.bytesLeaked, 0)
  assert.equal(figures.handled, figures.tried)
  assert.equal(scene.changedOutside(), 0)
})

function isTemporaryPath(path: string): boolean {
  return path.split('/').some((part) => TEMPORARY.test(part))
}
