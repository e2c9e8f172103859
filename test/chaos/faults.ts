import { createHash } from 'node:crypto'
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from '../interop/random-changes.ts'
import type { Member } from '../support/sync-pair.ts'
import type { Cluster } from './cluster.ts'

const PAUSES_MS = [10, 100, 400, 1_200]
/** Each overwrites so many places of so many bytes. */
const DAMAGED_PLACES = 20
const DAMAGED_BYTES = 64

/** What goes wrong. Every fault ends with the member running and its resources restored. */
export class Faults {
  readonly #cluster: Cluster
  readonly #chance: Chance
  readonly #violation: (text: string) => void
  /** Called for a member that was killed: its tree does not change then. */
  readonly #onKilled: (member: Member) => void
  /** Members with a fault under way. */
  readonly #busy = new Set<Member>()
  readonly #begun = new Map<Member, number>()
  readonly done: Record<string, number> = {}

  constructor(
    cluster: Cluster,
    chance: Chance,
    listener: { violation(text: string): void; onKilled(member: Member): void },
  ) {
    this.#cluster = cluster
    this.#chance = chance
    this.#violation = (text) => listener.violation(text)
    this.#onKilled = (member) => listener.onKilled(member)
  }

  /** Whether a member runs and has all it needs. */
  isFree(member: Member): boolean {
    return !this.#busy.has(member)
  }

  begunFor(member: Member): number {
    return this.#begun.get(member) ?? 0
  }

  /** One fault from its beginning to its end. */
  async inject(): Promise<void> {
    const free = (members: readonly Member[]) => members.filter((member) => this.isFree(member))
    const all = free(this.#cluster.members)
    const own = free(this.#cluster.twinfolds)
    const small = free(this.#cluster.small === undefined ? [] : [this.#cluster.small])
    const faults = [
      ...all.map((member) => ['kill', member, () => this.#kill(member)] as const),
      ...own.map((member) => ['kill', member, () => this.#kill(member)] as const),
      ...all.map((member) => ['freeze', member, () => this.#freeze(member)] as const),
      ['cut', undefined, () => this.#cut()] as const,
      ['cut', undefined, () => this.#cut()] as const,
      ['partition', undefined, () => this.#partition()] as const,
      ...small.map((member) => ['full disk', member, () => this.#fullDisk(member)] as const),
      ...small.map((member) => ['read-only disk', member, () => this.#readOnlyDisk(member)] as const),
      ...own.map((member) => ['damaged index', member, () => this.#damageIndex(member)] as const),
      ...own.map((member) => ['damaged configuration', member, () => this.#damageConfig(member)] as const),
    ]
    const [title, member, run] = this.#chance.pick(faults)
    this.done[title] = (this.done[title] ?? 0) + 1
    if (member !== undefined) {
      this.#busy.add(member)
      this.#begun.set(member, this.begunFor(member) + 1)
    }
    try {
      await run()
    } finally {
      if (member !== undefined) this.#busy.delete(member)
    }
  }

  #pause(): Promise<void> {
    return sleep(this.#chance.pick(PAUSES_MS))
  }

  async #kill(member: Member): Promise<void> {
    await member.kill()
    this.#onKilled(member)
    await this.#pause()
    await member.start()
  }

  async #freeze(member: Member): Promise<void> {
    member.signal('SIGSTOP')
    await this.#pause()
    member.signal('SIGCONT')
  }

  async #cut(): Promise<void> {
    this.#cluster.lines('cut')
    await this.#pause()
  }

  async #partition(): Promise<void> {
    this.#cluster.lines('off')
    await this.#pause()
    this.#cluster.lines('on')
  }

  async #fullDisk(member: Member): Promise<void> {
    this.#cluster.fill(member)
    await this.#pause()
    await sleep(500)
    this.#cluster.empty(member)
  }

  async #readOnlyDisk(member: Member): Promise<void> {
    if (!this.#cluster.remount(member, 'ro')) return
    await this.#pause()
    this.#cluster.remount(member, 'rw')
  }

  async #damageIndex(member: Member): Promise<void> {
    await member.kill()
    this.#onKilled(member)
    for (const path of indexFiles(member.home)) this.#damage(path)
    await this.#pause()
    await member.start()
  }

  /** Bytes changed, cut off, or the file removed. */
  #damage(path: string): void {
    const { size } = statSync(path)
    const way = this.#chance.below(4)
    if (way === 0) return rmSync(path)
    if (way === 1) return truncateSync(path, this.#chance.below(size + 1))
    const places = size > DAMAGED_BYTES ? DAMAGED_PLACES : 0
    const file = openSync(path, 'r+')
    for (let place = 0; place < places; place++)
      writeSync(file, Buffer.alloc(DAMAGED_BYTES, this.#chance.below(256)), 0, DAMAGED_BYTES, this.#chance.below(size))
    closeSync(file)
  }

  /** The member must refuse to start and leave the file unchanged; then the file is restored. */
  async #damageConfig(member: Member): Promise<void> {
    await member.kill()
    this.#onKilled(member)
    const path = join(member.home, 'config.xml')
    const whole = readFileSync(path)
    const cut = this.#chance.below(whole.length >> 1)
    const damaged = this.#chance.below(2) === 0 ? whole.subarray(0, cut) : Buffer.concat([whole.subarray(cut), whole])
    writeFileSync(path, damaged)
    const code = await member.runUntilEnd()
    if (code === 0) this.#violation(`${member.name} starts with a damaged configuration`)
    if (digest(readFileSync(path)) !== digest(damaged))
      this.#violation(`${member.name} has changed a damaged configuration`)
    writeFileSync(path, whole)
    await member.start()
  }
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function indexFiles(home: string): readonly string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        join(entry.parentPath, entry.name)
          .slice(home.length + 1)
          .startsWith('index'),
    )
    .map((entry) => join(entry.parentPath, entry.name))
}
