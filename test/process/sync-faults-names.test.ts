import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { contentsOf, Device } from '../support/device-pair.ts'
import { statusOf } from '../support/daemon-pair.ts'
import { reportRow } from '../support/effort.ts'
import {
  DIRECTORY,
  fileRecord,
  HostilePeer,
  request,
  response,
  sha256,
  SYMLINK,
  type HostileTalk,
  type WireRecord,
} from '../support/hostile-peer.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

/** A name as a peer may send it, and what becomes of the connection. */
interface NameCase {
  readonly why: string
  readonly name: string | Uint8Array
  readonly reaction: 'closed' | 'kept'
}

const NAMES: readonly NameCase[] = (
  JSON.parse(readFileSync(new URL('../fixtures/names.json', import.meta.url), 'utf8')) as RawName[]
).map(({ why, text = '', hex, times = 1, levels = 1, reaction }) => ({
  why,
  reaction,
  name: hex === undefined ? Array<string>(levels).fill(text.repeat(times)).join('/') : Buffer.from(hex, 'hex'),
}))

/** `times`: the text so often in a row; `levels`: the result so many directories deep. */
interface RawName {
  readonly why: string
  readonly text?: string
  readonly hex?: string
  readonly times?: number
  readonly levels?: number
  readonly reaction: 'closed' | 'kept'
}

const SECRET = 'what nobody out there may see or change\n'
const CONTENT = Buffer.from('from the peer\n')
const TEMPORARY = /^(\.syncthing\.|~syncthing~)/

/** A device with a folder, a peer it trusts, and beside the folder something that is nobody's business. */
class Scene implements AsyncDisposable {
  readonly device: Device
  readonly peer: HostilePeer
  readonly directory: string
  readonly canary: string
  readonly #before: ReadonlyMap<string, string>
  readonly #beside: readonly string[]

  private constructor(device: Device, peer: HostilePeer, directory: string) {
    this.device = device
    this.peer = peer
    this.directory = directory
    this.canary = join(directory, 'canary')
    mkdirSync(join(this.canary, 'sub'), { recursive: true })
    writeFileSync(join(this.canary, 'secret'), SECRET)
    writeFileSync(join(this.canary, 'sub', 'deeper'), SECRET)
    mkdirSync(device.root)
    this.#before = contentsOf(this.canary)
    this.#beside = readdirSync(directory).sort()
  }

  static async start(directory: string): Promise<Scene> {
    const device = await Device.start(directory, 'a')
    return new Scene(device, await HostilePeer.make(), directory)
  }

  async share(): Promise<void> {
    await this.peer.introduce(this.device, { docs: this.device.root })
    await this.device.scan()
  }

  async talk(): Promise<HostileTalk> {
    const talk = await this.peer.join(this.device.port, this.device.id)
    talk.serve = ({ id, size, offset }) => response(id, CONTENT.subarray(offset, offset + size))
    await talk.index([])
    return talk
  }

  /** How many things outside the folder are not as they were. */
  changedOutside(): number {
    const now = contentsOf(this.canary)
    const changed = [...new Set([...now.keys(), ...this.#before.keys()])].filter(
      (path) => now.get(path) !== this.#before.get(path),
    )
    const beside = new Set(readdirSync(this.directory)).symmetricDifference(new Set(this.#beside))
    return changed.length + beside.size
  }

  /** Resolves when the device has pulled what it can. */
  async settled(): Promise<void> {
    await eventually('the folder at rest', async () => {
      const status = await statusOf(this.device)
      if (status.state !== 'idle') throw new Error(JSON.stringify(status))
      return true
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.device.stop()
  }
}

/** The four things a name can be, each newer than the one before. */
function recordsOf(name: string | Uint8Array, target: string): readonly WireRecord[] {
  return [
    fileRecord(name, CONTENT, { counter: 1 }),
    { name, type: DIRECTORY, counter: 2 },
    { name, type: SYMLINK, target, counter: 3 },
    { name, deleted: true, counter: 4 },
  ]
}

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
  const aimed = [
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

  for (const name of [...aimed, ...NAMES.map((each) => each.name)]) {
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
  reportRow({ id: 'N-02', ...figures, canaryChanged: scene.changedOutside(), peakRssMiB: device.peakRssMib() })
  assert.equal(figures.bytesLeaked, 0)
  assert.equal(figures.handled, figures.tried)
  assert.equal(scene.changedOutside(), 0)
})

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
  ['a file nobody may write', (path) => writeFileSync(path, SECRET, { mode: 0o400 })],
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

function isTemporaryPath(path: string): boolean {
  return path.split('/').some((part) => TEMPORARY.test(part))
}

function isRegular(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
}
