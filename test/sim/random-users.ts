import assert from 'node:assert/strict'
import { TwinfoldError } from '../../src/core/errors.ts'
import { Selection } from '../../src/core/ignore/selection.ts'
import { isTemporary } from '../../src/core/paths.ts'
import { pick, SimRandom } from '../../src/platform/sim/random.ts'
import { DOCS, NEVER } from '../support/model.ts'
import type { SimDevice } from './device.ts'
import { write, type SomeDevices } from './some-devices.ts'

const S = 1_000
const DIRECTORIES = ['a', 'a/b', 'a/b/c', 'z', 'z/y'] as const
const NAMES = ['one', 'two', 'three'] as const
const ROUNDS_MAX = 60
/** The device was switched off, or its folder was stopped for a move. */
const INTERRUPTED: readonly string[] = ['stopped', 'folder-not-running']

/** Users of devices who edit, rename, delete, choose what is kept and lose power. The first device keeps everything. */
export class RandomUsers {
  readonly some: SomeDevices
  readonly random: SimRandom
  /** Contents that a user overwrote or deleted. */
  readonly discarded = new Set<string>()
  readonly written: string[] = []
  selections = 0
  refusals = 0
  crashes = 0

  constructor(some: SomeDevices, seed: number) {
    this.some = some
    this.random = new SimRandom(seed)
  }

  get server(): SimDevice {
    return this.some.devices[0]!
  }

  get selecting(): readonly SimDevice[] {
    return this.some.devices.slice(1)
  }

  /** Returns the path, if it was written. */
  write(device: SimDevice): string | undefined {
    const path = this.#path()
    if (contentOf(device, path) === undefined && isBlocked(device, path)) return undefined
    this.discard(device, path)
    const content = `content ${this.written.length}`.padEnd(12 + (this.written.length % 40), '.')
    this.written.push(content)
    write(device, path, content)
    return path
  }

  /** Returns the new path. */
  rename(device: SimDevice): string | undefined {
    const files = userFiles(device)
    const to = this.#path()
    if (files.size === 0 || files.has(to) || isBlocked(device, to)) return undefined
    const { disk, root } = device
    disk.direct.makeDirectories(`${root}/${to.slice(0, to.lastIndexOf('/'))}`)
    disk.direct.rename(`${root}/${pick(this.random, [...files.keys()])}`, `${root}/${to}`)
    return to
  }

  delete(device: SimDevice): void {
    const files = userFiles(device)
    if (files.size === 0) return
    const path = pick(this.random, [...files.keys()])
    this.discard(device, path)
    device.disk.direct.remove(`${device.root}/${path}`)
  }

  discard(device: SimDevice, path: string): void {
    const content = contentOf(device, path)
    if (content !== undefined) this.discarded.add(content)
  }

  /** Sometimes the power fails while it is applied. */
  async select(device: SimDevice): Promise<void> {
    const path = pick(this.random, ['', ...DIRECTORIES, `a/b/${pick(this.random, NAMES)}`])
    const state = this.random.int(3) === 0 ? 'kept' : 'dropped'
    const selected = device.model?.select(DOCS, [{ path, state }], false, NEVER)
    if (selected === undefined) return
    const progress = { isDone: false }
    const ended = (error?: unknown) => {
      progress.isDone = true
      if (error === undefined) return
      if (error instanceof TwinfoldError && error.code === 'refused') this.refusals++
      else if (!(error instanceof TwinfoldError && INTERRUPTED.includes(error.code))) throw error
    }
    selected.then(() => ended(), ended)
    const turns = this.random.int(4) === 0 ? this.random.int(40) : 1_000
    for (let turn = 0; !progress.isDone && turn < turns; turn++) await this.some.pass(turn % 10 === 9 ? 1 : 0)
    if (progress.isDone) this.selections++
    else await this.crash(device)
  }

  async crash(device: SimDevice): Promise<void> {
    this.crashes++
    device.crash()
    await this.some.pass(1 * S)
    await device.start()
  }

  async pause(): Promise<void> {
    await this.some.pass(pick(this.random, [0, 100, 2 * S, 20 * S]))
  }

  /** Until each device has what it keeps of these files, and nothing else. */
  async converge(allFiles: () => Promise<ReadonlyMap<string, string>>): Promise<void> {
    let reason = ''
    for (let round = 0; round < ROUNDS_MAX; round++) {
      await this.some.scanAll()
      await this.some.pass(20 * S)
      reason = (await this.#unsettled(await allFiles())) ?? ''
      if (reason === '') break
    }
    assert.equal(reason, '')
  }

  /** Contents that no user discarded and that are not among these. */
  lost(found: ReadonlySet<string>): readonly string[] {
    return this.written.filter((content) => !this.discarded.has(content) && !found.has(content))
  }

  async #unsettled(all: ReadonlyMap<string, string>): Promise<string | undefined> {
    for (const device of this.some.devices) {
      const { entries, isRemoving } = await device.model!.selection(DOCS)
      const selection = new Selection(entries)
      const { counts } = await device.model!.status(DOCS)
      if (isRemoving) return `${device.name} is removing`
      if (counts.need.files + counts.need.deleted + counts.need.directories > 0) return `${device.name} needs something`
      if (device === this.server) continue
      const wanted = [...all].filter(([path]) => selection.stateOf(path) === 'kept')
      const [has, should] = [JSON.stringify([...userFiles(device)]), JSON.stringify(wanted)]
      if (has !== should) return `${device.name} has ${has}, not ${should}; ${JSON.stringify(entries)}`
    }
    return undefined
  }

  #path(): string {
    return `${pick(this.random, DIRECTORIES)}/${pick(this.random, NAMES)}`
  }
}

/** The contents of the files of a folder by path. Temporary files of a power loss stay for a day. */
export function userFiles({ disk, root }: SimDevice): ReadonlyMap<string, string> {
  return filesBelow({ disk }, root)
}

export function filesBelow({ disk }: Pick<SimDevice, 'disk'>, directory: string): ReadonlyMap<string, string> {
  if (disk.direct.look(directory) === undefined) return new Map()
  const isUsers = (path: string) => !path.startsWith('.st') && !isTemporary(path)
  const files = [...disk.direct.tree(directory)].filter(([path, { type }]) => type === 'file' && isUsers(path))
  return new Map(files.map(([path, { content }]) => [path, Buffer.from(content).toString()]))
}

export function contentOf({ disk, root }: SimDevice, path: string): string | undefined {
  const item = disk.direct.look(`${root}/${path}`)
  return item?.type === 'file' ? Buffer.from(item.content).toString() : undefined
}

/** Something else is there, or in the place of a directory above. */
function isBlocked({ disk, root }: SimDevice, path: string): boolean {
  const parts = path.split('/')
  return parts.some((_, at) => {
    const item = disk.direct.look(`${root}/${parts.slice(0, at + 1).join('/')}`)
    return item !== undefined && (item.type !== 'directory' || at === parts.length - 1)
  })
}
