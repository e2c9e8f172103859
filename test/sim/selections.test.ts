/** Devices that keep and drop at random moments, beside edits, renames, deletions and power losses. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../src/core/errors.ts'
import { Selection } from '../../src/core/ignore/selection.ts'
import { isTemporary } from '../../src/core/paths.ts'
import { pick, SimRandom } from '../../src/platform/sim/random.ts'
import { effort, reportRow } from '../support/effort.ts'
import { DOCS, NEVER } from '../support/model.ts'
import { testSeed } from '../support/seed.ts'
import { ROOT, type SimDevice } from './device.ts'
import { SomeDevices, write } from './some-devices.ts'

const S = 1_000
const DIRECTORIES = ['a', 'a/b', 'a/b/c', 'z', 'z/y'] as const
const NAMES = ['one', 'two', 'three'] as const
const ROUNDS_MAX = 60

/** The server keeps everything; the others choose. */
class SelectingDevices {
  readonly some: SomeDevices
  readonly #random: SimRandom
  /** Contents that a user overwrote or deleted. */
  readonly #discarded = new Set<string>()
  readonly #written: string[] = []
  selections = 0
  refusals = 0
  crashes = 0

  constructor(some: SomeDevices, seed: number) {
    this.some = some
    this.#random = new SimRandom(seed)
  }

  get #server(): SimDevice {
    return this.some.devices[0]!
  }

  get #selecting(): readonly SimDevice[] {
    return this.some.devices.slice(1)
  }

  async act(): Promise<void> {
    const device = pick(this.#random, this.some.devices)
    const action = this.#random.int(10)
    if (action < 4) this.#write(device)
    else if (action === 4) this.#rename(device)
    else if (action === 5) this.#delete(device)
    else if (action < 9) await this.#select(pick(this.#random, this.#selecting))
    else await this.#loseOf(pick(this.#random, this.#selecting))
    await this.some.pass(pick(this.#random, [0, 100, 2 * S, 20 * S]))
  }

  #write(device: SimDevice): void {
    const path = `${pick(this.#random, DIRECTORIES)}/${pick(this.#random, NAMES)}`
    if (contentOf(device, path) === undefined && isBlocked(device, path)) return
    this.#discard(device, path)
    const content = `content ${this.#written.length}`.padEnd(12 + (this.#written.length % 40), '.')
    this.#written.push(content)
    write(device, path, content)
  }

  #rename(device: SimDevice): void {
    const files = filesOf(device)
    const to = `${pick(this.#random, DIRECTORIES)}/${pick(this.#random, NAMES)}`
    if (files.size === 0 || files.has(to) || isBlocked(device, to)) return
    device.disk.direct.makeDirectories(`${ROOT}/${to.slice(0, to.lastIndexOf('/'))}`)
    device.disk.direct.rename(`${ROOT}/${pick(this.#random, [...files.keys()])}`, `${ROOT}/${to}`)
  }

  #delete(device: SimDevice): void {
    const files = filesOf(device)
    if (files.size === 0) return
    const path = pick(this.#random, [...files.keys()])
    this.#discard(device, path)
    device.disk.direct.remove(`${ROOT}/${path}`)
  }

  #discard(device: SimDevice, path: string): void {
    const content = contentOf(device, path)
    if (content !== undefined) this.#discarded.add(content)
  }

  /** Sometimes the power fails while it is applied. */
  async #select(device: SimDevice): Promise<void> {
    const path = pick(this.#random, ['', ...DIRECTORIES, `a/b/${pick(this.#random, NAMES)}`])
    const state = this.#random.int(3) === 0 ? 'kept' : 'dropped'
    const selected = device.model?.select(DOCS, [{ path, state }], false, NEVER)
    if (selected === undefined) return
    const progress = { isDone: false }
    const ended = (error?: unknown) => {
      progress.isDone = true
      if (error === undefined) return
      if (error instanceof TwinfoldError && error.code === 'refused') this.refusals++
      else if (!(error instanceof TwinfoldError && error.code === 'stopped')) throw error
    }
    selected.then(() => ended(), ended)
    const turns = this.#random.int(4) === 0 ? this.#random.int(40) : 1_000
    for (let turn = 0; !progress.isDone && turn < turns; turn++) await this.some.pass(turn % 10 === 9 ? 1 : 0)
    if (progress.isDone) this.selections++
    else await this.#loseOf(device)
  }

  async #loseOf(device: SimDevice): Promise<void> {
    this.crashes++
    device.crash()
    await this.some.pass(1 * S)
    await device.start()
  }

  /** Each device has what it keeps and nothing else, and no content is lost that no user discarded. */
  async converge(): Promise<void> {
    let reason = ''
    for (let round = 0; round < ROUNDS_MAX; round++) {
      await this.some.scanAll()
      await this.some.pass(20 * S)
      reason = (await this.#unsettled()) ?? ''
      if (reason === '') break
    }
    assert.equal(reason, '')
    const onServer = new Set(filesOf(this.#server).values())
    const lost = this.#written.filter((content) => !this.#discarded.has(content) && !onServer.has(content))
    assert.deepEqual(lost, [])
  }

  async #unsettled(): Promise<string | undefined> {
    const all = filesOf(this.#server)
    for (const device of this.some.devices) {
      const { entries, isRemoving } = await device.model!.selection(DOCS)
      const selection = new Selection(entries)
      const { counts } = await device.model!.status(DOCS)
      if (isRemoving) return `${device.name} is removing`
      if (counts.need.files + counts.need.deleted + counts.need.directories > 0) return `${device.name} needs something`
      const wanted = [...all].filter(([path]) => selection.stateOf(path) === 'kept')
      const [has, should] = [JSON.stringify([...filesOf(device)]), JSON.stringify(wanted)]
      if (has !== should) return `${device.name} has ${has}, not ${should}; ${JSON.stringify(entries)}`
    }
    return undefined
  }
}

function filesOf({ disk }: SimDevice): ReadonlyMap<string, string> {
  // Temporary files of a power loss stay for a day.
  const isUsers = (path: string) => !path.startsWith('.st') && !isTemporary(path)
  const files = [...disk.direct.tree(ROOT)].filter(([path, { type }]) => type === 'file' && isUsers(path))
  return new Map(files.map(([path, { content }]) => [path, Buffer.from(content).toString()]))
}

function contentOf(device: SimDevice, path: string): string | undefined {
  const item = device.disk.direct.look(`${ROOT}/${path}`)
  return item?.type === 'file' ? Buffer.from(item.content).toString() : undefined
}

/** Something else is there, or in the place of a directory above. */
function isBlocked({ disk }: SimDevice, path: string): boolean {
  const parts = path.split('/')
  return parts.some((_, at) => {
    const item = disk.direct.look(`${ROOT}/${parts.slice(0, at + 1).join('/')}`)
    return item !== undefined && (item.type !== 'directory' || at === parts.length - 1)
  })
}

test('selections at random moments lose no edit, and every device has what it keeps', async () => {
  const figures = { runs: 0, selections: 0, refusals: 0, crashes: 0 }
  for (let run = 0; run < effort(4); run++, figures.runs++) {
    const seed = testSeed(100) + run
    await using some = await SomeDevices.start('server', 'laptop', 'phone')
    const devices = new SelectingDevices(some, seed)
    try {
      for (let step = 0; step < 40; step++) await devices.act()
      await devices.converge()
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}`, { cause: error })
    }
    figures.selections += devices.selections
    figures.refusals += devices.refusals
    figures.crashes += devices.crashes
  }
  reportRow({ id: 'selections', tried: figures.runs, ...figures })
  assert.ok(figures.selections > 20 && figures.crashes > 3, JSON.stringify(figures))
})
