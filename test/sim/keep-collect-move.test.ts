/** Three devices with selections, kept files and moves of the folder at random moments: no edit is lost, all agree. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../src/core/errors.ts'
import { isEnded } from '../../src/core/move/journal.ts'
import { KeptFiles } from '../../src/model/state/kept-files.ts'
import { pick } from '../../src/platform/sim/random.ts'
import { effort, reportRow } from '../support/effort.ts'
import { quietLogger } from '../support/logger.ts'
import { DOCS, NEVER } from '../support/model.ts'
import { testSeed } from '../support/seed.ts'
import { ROOT, type SimDevice } from './device.ts'
import { contentOf, filesBelow, RandomUsers, userFiles } from './random-users.ts'
import { SomeDevices } from './some-devices.ts'

const SEEDS = effort(2, 3)
const STEPS = 40
const NO_FIGURES = { deletions: 0, kept: 0, back: 0, deletedHere: 0, moves: 0, copies: 0, duringMoves: 0, left: 0 }

/** The server keeps what the others delete; they choose what they have; the folders of all of them are moved. */
class Case {
  readonly #users: RandomUsers
  /** Contents of kept files, as of the last step. */
  #kept: ReadonlySet<string> = new Set()
  /** Contents that the user of the server deleted or overwrote. */
  readonly #gone = new Set<string>()
  /** Deleted by path while the server had them: they are to be kept unless somebody writes to that path. */
  readonly #deleted = new Map<string, string>()
  /** All directories in which the folder of a device was, or was to be. */
  readonly #places = new Map<SimDevice, string[]>()
  /** Paths that a move left in the old directory, as it said, below that directory. */
  readonly #left = new Set<string>()
  /** A user reacts to changes of the disk, but not to the own ones. */
  #isWorking = false
  readonly figures = { ...NO_FIGURES }

  constructor(some: SomeDevices, seed: number) {
    this.#users = new RandomUsers(some, seed)
    this.#server.collects = true
    for (const device of some.devices) this.#places.set(device, [ROOT])
  }

  get #server(): SimDevice {
    return this.#users.server
  }

  get crashes(): number {
    return this.#users.crashes
  }

  get selections(): number {
    return this.#users.selections
  }

  async run(): Promise<void> {
    for (let step = 0; step < STEPS; step++) {
      await this.#act()
      await this.#users.pause()
      await this.#startAll()
      await this.#noteKept()
    }
    await this.#endMoves()
    await this.#users.converge(() => this.#globalFiles())
    await this.#noteKept()
    this.#checkNothingLost()
    await this.#checkSameGlobals()
  }

  async #act(): Promise<void> {
    const { random, some } = this.#users
    const device = pick(random, some.devices)
    const action = random.int(14)
    if (action < 4) this.#write(device)
    else if (action === 4) this.#rename(device)
    else if (action < 7) await this.#delete(device)
    else if (action < 9) await this.#users.select(pick(random, this.#users.selecting))
    else if (action === 9) await this.#users.crash(device)
    else if (action < 12) await this.#changeKept(action === 10 ? 'bring-back' : 'delete')
    else await this.#move(device)
  }

  /** Where its users find no folder they write nothing: it is being renamed. */
  #isThere({ disk, root }: SimDevice): boolean {
    return disk.direct.look(`${root}/.stfolder`) !== undefined
  }

  #write(device: SimDevice): void {
    if (!this.#isThere(device)) return
    const before = device === this.#server ? new Set(userFiles(device).values()) : undefined
    const path = this.#users.write(device)
    if (path === undefined) return
    this.#deleted.delete(path)
    const after = before && new Set(userFiles(device).values())
    for (const content of before ?? []) if (!after!.has(content)) this.#gone.add(content)
  }

  #rename(device: SimDevice): void {
    const to = this.#isThere(device) ? this.#users.rename(device) : undefined
    if (to !== undefined) this.#deleted.delete(to)
  }

  async #delete(device: SimDevice): Promise<void> {
    if (!this.#isThere(device)) return
    const before = userFiles(device)
    const overwritten = new Set(this.#users.discarded)
    this.#users.delete(device)
    const after = userFiles(device)
    for (const [path, content] of before) {
      if (after.has(path)) continue
      this.figures.deletions++
      if (device === this.#server) this.#gone.add(content)
      else if (!overwritten.has(content) && (await this.#hasSame(device, path, content)))
        this.#deleted.set(path, content)
    }
  }

  /** Whether the server has this file, and its record is that of the other device. */
  async #hasSame(device: SimDevice, path: string, content: string): Promise<boolean> {
    if (contentOf(this.#server, path) !== content) return false
    const records = await Promise.all(
      [device, this.#server].map(async (each) => (await each.index()).records.head('local', path)),
    )
    const [theirs, ours] = records.map((record) => (record?.deleted === false ? textOf(record.version) : undefined))
    return theirs !== undefined && theirs === ours
  }

  async #changeKept(action: 'bring-back' | 'delete'): Promise<void> {
    const { random, some } = this.#users
    const names = [...(await this.#keptFiles()).keys()]
    const { model } = this.#server
    if (names.length === 0 || model === undefined) return
    const name = pick(random, names)
    const content = contentOf(this.#server, name)
    if (action === 'delete' && content !== undefined) {
      this.#gone.add(content)
      this.#users.discarded.add(content)
    }
    try {
      const failures = await some.during(model.changeKept(DOCS, action, [name]))
      if (!failures.has(name)) this.figures[action === 'delete' ? 'deletedHere' : 'back']++
    } catch (error) {
      if (!(error instanceof TwinfoldError && error.code === 'folder-not-running')) throw error
    }
  }

  /** Its user goes on, and sometimes cancels it or loses power. Other actions follow before it has ended. */
  async #move(device: SimDevice): Promise<void> {
    const { random, some } = this.#users
    const { disk, incarnation, mover, root: from } = device
    if (mover === undefined || incarnation === undefined) return
    this.#noteLeft(device)
    const places = this.#places.get(device)!
    const to = `/mnt/docs${places.length}`
    places.push(to)
    if (random.chance(0.7)) disk.fail({ call: 'rename', code: 'EXDEV', under: from, times: 1 })
    if (random.chance(0.3)) incarnation.beforeCall(1 + random.int(300), () => this.#losePower(device))
    using _watch = disk.subscribe(() => this.#workDuringMove(device))
    mover.start(DOCS, to, NEVER).then(
      () => this.figures.moves++,
      (error: unknown) => {
        if (!(error instanceof TwinfoldError && error.code === 'refused')) throw error // it is being moved already
      },
    )
    for (let turns = 1 + random.int(60); turns > 0; turns--) await some.pass(0)
    if (device.mover?.status(DOCS)?.method === 'copy') this.figures.copies++
    incarnation.clearPlans()
    disk.faults.clear()
  }

  #workDuringMove(device: SimDevice): void {
    const { random } = this.#users
    const status = device.mover?.status(DOCS)
    if (this.#isWorking || status === undefined || isEnded(status) || !random.chance(0.1)) return
    this.#isWorking = true
    const before = this.#users.written.length
    this.#write(device)
    this.figures.duringMoves += this.#users.written.length - before
    this.#isWorking = false
    if (random.chance(0.1)) device.mover?.cancel(DOCS).catch(() => {}) // too late, perhaps
  }

  #losePower(device: SimDevice): void {
    this.#users.crashes++
    device.crash()
  }

  async #startAll(): Promise<void> {
    for (const device of this.#users.some.devices) if (!device.isOn) await device.start()
  }

  async #endMoves(): Promise<void> {
    const { devices } = this.#users.some
    const isMoving = (device: SimDevice) => {
      const status = device.mover?.status(DOCS)
      return status !== undefined && !isEnded(status)
    }
    for (let round = 0; devices.some(isMoving) && round < 60; round++) await this.#users.some.pass(10_000)
    for (const device of devices) {
      assert.equal(isMoving(device), false, `${device.name}: ${device.mover?.status(DOCS)?.error}`)
      this.#noteLeft(device)
    }
  }

  #noteLeft({ mover, name }: SimDevice): void {
    const status = mover?.status(DOCS)
    if (status === undefined || !isEnded(status)) return
    const place = status.state === 'done' ? status.from : status.to
    for (const path of status.left) this.#left.add(`${name} ${place}/${path}`)
  }

  /** The kept files that are on the disk as they are in the list. */
  async #keptFiles(): Promise<ReadonlyMap<string, string>> {
    const { disk, root } = this.#server
    const list = new KeptFiles({ disk, log: quietLogger('model') }, { folder: DOCS, directory: '/home/me/kept' })
    await list.load()
    const found = new Map<string, string>()
    for (const name of list.names()) {
      const { sizeBytes, modifiedS, modifiedNs } = list.find(name)!.file
      const item = disk.direct.look(`${root}/${name}`)
      const isSame = item?.modifiedNs === BigInt(modifiedS) * 1_000_000_000n + BigInt(modifiedNs)
      if (isSame && item.content.length === sizeBytes) found.set(name, contentOf(this.#server, name)!)
    }
    return found
  }

  /** What is not kept any more was brought back or displaced and counts like any other file, or its user removed it. */
  async #noteKept(): Promise<void> {
    if (!this.#isThere(this.#server)) return
    const now = new Set((await this.#keptFiles()).values())
    this.figures.kept += now.difference(this.#kept).size
    const onDisk = this.#contentsOn(this.#server)
    for (const content of this.#kept) {
      if (now.has(content) || this.#gone.has(content)) continue
      assert.ok(onDisk.has(content), `the server has lost the kept file "${content}"`)
      this.#users.discarded.delete(content)
    }
    this.#kept = now
    for (const [path, content] of this.#deleted) if (now.has(content)) this.#deleted.delete(path)
  }

  #contentsOn(device: SimDevice): ReadonlySet<string> {
    return new Set(this.#places.get(device)!.flatMap((place) => [...filesBelow(device, place).values()]))
  }

  async #globalFiles(): Promise<ReadonlyMap<string, string>> {
    const kept = await this.#server.model!.kept(DOCS, { page: 1, perPage: 1_000 })
    const names = new Set(kept.items.map(({ file }) => file.name))
    return new Map([...userFiles(this.#server)].filter(([path]) => !names.has(path)))
  }

  /** On the server, or where a move left it and said so. */
  #checkNothingLost(): void {
    const found = new Set(userFiles(this.#server).values())
    const expected = [...this.#deleted.values()].filter((content) => !this.#gone.has(content))
    const onServer = expected.filter((content) => !found.has(content))
    for (const [device, places] of this.#places) {
      for (const place of places) {
        if (place === device.root) continue
        for (const [path, content] of filesBelow(device, place)) {
          // Copies of a cancelled move may return with a power loss.
          if (found.has(content) || this.#users.discarded.has(content)) continue
          assert.ok(this.#left.has(`${device.name} ${place}/${path}`), `${device.name} has ${place}/${path} unsaid`)
          found.add(content)
          this.figures.left++
        }
      }
    }
    assert.deepEqual([this.#users.lost(found), onServer], [[], []])
  }

  async #checkSameGlobals(): Promise<void> {
    const states = await Promise.all(
      this.#users.some.devices.map(async (device) => {
        const { records } = await device.index()
        const names = await records.page('local', { within: '', afterName: '', limit: 10_000 })
        const globals = await Promise.all(names.map(({ name }) => records.global(name)))
        return new Map(globals.map((each) => [each!.name, `${each!.deleted} ${textOf(each!.version)}`]))
      }),
    )
    const names = new Set(states.flatMap((state) => [...state.keys()]))
    for (const name of names) {
      const known = new Set(states.map((state) => state.get(name)).filter((state) => state !== undefined))
      assert.equal(known.size, 1, `${name}: ${[...known].join(' and ')}`)
    }
  }
}

function textOf(version: readonly { readonly device: bigint; readonly value: bigint }[]): string {
  return version.map(({ device, value }) => `${device}:${value}`).join()
}

test('selections, kept files and moves at random moments: no edit is lost, all devices agree', async () => {
  const figures = { ...NO_FIGURES, crashes: 0, selections: 0 }
  const first = testSeed(1)
  for (let seed = first; seed < first + SEEDS; seed++) {
    await using some = await SomeDevices.start('server', 'laptop', 'phone')
    const one = new Case(some, seed)
    try {
      await one.run()
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}`, { cause: error })
    }
    for (const [name, count] of Object.entries({ ...one.figures, crashes: one.crashes, selections: one.selections }))
      figures[name as keyof typeof figures] += count
  }
  reportRow({ id: 'keep-collect-move', tried: SEEDS, ...figures })
  const { back, copies, crashes, duringMoves, kept, selections } = figures
  assert.ok(Math.min(back, copies, crashes, duringMoves, kept, selections) > 0, JSON.stringify(figures))
})
