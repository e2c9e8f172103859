/** Random users of three devices, one of which keeps what the others delete: nothing of that is lost, all agree. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pick, SimRandom } from '../../src/platform/sim/random.ts'
import { effort, reportRow } from '../support/effort.ts'
import { DOCS } from '../support/model.ts'
import { testSeed } from '../support/seed.ts'
import { ROOT, type SimDevice } from './device.ts'
import { filesOf, SomeDevices, write } from './some-devices.ts'

const SEEDS = effort(4, 8)
const STEPS = 14
const NAMES = ['a', 'b', 'd/a', 'd/b', 'd/e/a', 'c']

/** One case: a server that collects, a phone and a laptop. */
class Case {
  readonly #some: SomeDevices
  readonly #random: SimRandom
  readonly #seed: number
  /** Contents that the server must have, under any name. */
  readonly #kept = new Set<string>()
  /** Deleted, by path, and not received yet: with a new file of that name the server sees a change, not a deletion. */
  readonly #deleted = new Map<string, string>()
  #contents = 0
  deletions = 0
  back = 0

  private constructor(some: SomeDevices, seed: number) {
    this.#some = some
    this.#seed = seed
    this.#random = new SimRandom(seed)
  }

  static async run(seed: number): Promise<Case> {
    await using some = await SomeDevices.start('server', 'phone', 'laptop')
    const one = new Case(some, seed)
    one.#server.collects = true
    for (const name of NAMES) one.#write(one.#phone, name)
    await one.#settled()
    for (let step = 0; step < STEPS; step++) await one.#step()
    await one.#settled()
    one.#check()
    return one
  }

  get #server(): SimDevice {
    return this.#some.devices[0]!
  }

  get #phone(): SimDevice {
    return this.#some.devices[1]!
  }

  async #step(): Promise<void> {
    const user = pick(this.#random, this.#some.devices.slice(1))
    switch (this.#random.int(9)) {
      case 0:
      case 1:
      case 2:
        await this.#delete(user)
        break
      case 3:
        this.#write(user, pick(this.#random, NAMES))
        break
      case 4:
        await this.#bringBack()
        break
      case 5:
        await this.#deleteHere()
        break
      case 6:
        await this.#editKept()
        break
      case 7:
        await this.#restart()
        break
      case 8:
        this.#server.crash()
        await this.#server.start()
        break
    }
    if (this.#random.chance(0.5)) await this.#some.pass(1_000 * this.#random.int(120))
  }

  /** Of a file that the server has, too: what it never had it cannot keep. */
  async #delete(user: SimDevice): Promise<void> {
    await this.#settled()
    const files = [...user.disk.direct.tree(ROOT)].filter(
      ([path, { type }]) => type === 'file' && !path.startsWith('.st'),
    )
    if (files.length === 0) return
    const [path, { content }] = pick(this.#random, files)
    user.disk.direct.remove(`${ROOT}/${path}`)
    if (path.startsWith('d/') && this.#random.chance(0.5)) {
      for (const [below, item] of user.disk.direct.tree(`${ROOT}/d`)) {
        if (item.type === 'file') this.#deleted.set(`d/${below}`, textOf(item.content))
        if (item.type === 'file') user.disk.direct.remove(`${ROOT}/d/${below}`)
      }
      for (const directory of ['d/e', 'd']) {
        if (user.disk.direct.look(`${ROOT}/${directory}`) !== undefined) user.disk.direct.remove(`${ROOT}/${directory}`)
      }
    }
    this.#deleted.set(path, textOf(content))
    this.deletions++
  }

  async #keptNames(): Promise<readonly string[]> {
    const page = await this.#server.model?.kept(DOCS, { page: 1, perPage: 100 })
    return page?.items.map(({ file }) => file.name) ?? []
  }

  async #bringBack(): Promise<void> {
    const names = await this.#keptNames()
    if (names.length === 0) return
    this.back++
    await this.#some.during(this.#server.model!.changeKept(DOCS, 'bring-back', [pick(this.#random, names)]))
  }

  async #deleteHere(): Promise<void> {
    await this.#settled()
    const names = await this.#keptNames()
    if (names.length === 0) return
    const name = pick(this.#random, names)
    const text = textOf(this.#server.disk.direct.look(`${ROOT}/${name}`)!.content)
    const failures = await this.#some.during(this.#server.model!.changeKept(DOCS, 'delete', [name]))
    if (!failures.has(name)) this.#kept.delete(text)
  }

  async #editKept(): Promise<void> {
    const names = await this.#keptNames()
    if (names.length === 0) return
    const name = pick(this.#random, names)
    const item = this.#server.disk.direct.look(`${ROOT}/${name}`)
    if (item?.type !== 'file') return
    this.#kept.delete(textOf(item.content))
    this.#write(this.#server, name)
  }

  async #restart(): Promise<void> {
    await this.#some.during(this.#server.stop())
    if (this.#random.chance(0.5)) await this.#server.loseIndex()
    await this.#server.start()
  }

  /** A file that replaces a live one takes its content from the server, which is no deletion. */
  #write(user: SimDevice, name: string): void {
    const parent = name.split('/').slice(0, -1).join('/')
    if (parent !== '') user.disk.direct.makeDirectories(`${ROOT}/${parent}`)
    const before = user.disk.direct.look(`${ROOT}/${name}`)
    if (before?.type === 'directory') return
    this.#deleted.delete(name)
    if (before?.type === 'file') this.#kept.delete(textOf(before.content))
    write(user, name, `content ${++this.#contents} of ${this.#seed}`)
  }

  async #settled(): Promise<void> {
    assert.equal(await this.#some.converge(), undefined, `seed ${this.#seed}`)
    for (const text of this.#deleted.values()) this.#kept.add(text)
    this.#deleted.clear()
    for (const viewer of this.#some.devices) {
      for (const device of viewer.neighbours) {
        const shown = await viewer.completion(device)
        const figures = [shown?.completion, shown?.needItems, shown?.needDeletes]
        assert.deepEqual(figures, [100, 0, 0], `seed ${this.#seed}: ${viewer.name} shows this for ${device.name}`)
      }
    }
  }

  #check(): void {
    const found = new Set([...this.#server.disk.direct.tree(ROOT).values()].map(({ content }) => textOf(content)))
    const lost = [...this.#kept].filter((text) => !found.has(text))
    assert.deepEqual(lost, [], `seed ${this.#seed}: the server has lost what others deleted`)
    const [phone, laptop] = this.#some.devices.slice(1).map(filesOf)
    assert.deepEqual(phone, laptop, `seed ${this.#seed}: the others differ`)
    const server = new Set(filesOf(this.#server))
    assert.deepEqual(
      phone?.filter((file) => !server.has(file)),
      [],
      `seed ${this.#seed}: the server lacks files`,
    )
  }
}

function textOf(content: Uint8Array): string {
  return Buffer.from(content).toString()
}

test('kept files at random moments: none is lost, all devices agree and show 100 %', async () => {
  let [deletions, back] = [0, 0]
  const first = testSeed()
  for (let seed = first; seed < first + SEEDS; seed++) {
    const done = await Case.run(seed)
    deletions += done.deletions
    back += done.back
  }
  reportRow({ id: 'collect', tried: SEEDS, deletions, back })
  assert.ok(deletions > SEEDS && back > 0)
})
