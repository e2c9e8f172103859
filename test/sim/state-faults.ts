import { pick, type SimRandom } from '../../src/platform/sim/random.ts'
import type { Contents } from './contents.ts'
import { ROOT, type Backup, type SimDevice } from './device.ts'
import type { Reached } from './sometimes.ts'
import type { Trace } from './trace.ts'
import type { User } from './user.ts'

const HOUR = 3_600_000
/** Of a run; the others have no such fault, so that the stricter invariants apply to them. */
const RUNS_WITH_FAULTS = 0.4
const FAULTS_PER_STEP = 0.15
const BACKUPS_PER_STEP = 0.3
const UNREADABLE_PER_STEP = 0.08
const READABLE_AGAIN = 0.4

export interface StateFaultsDeps {
  readonly random: SimRandom
  readonly user: User
  readonly contents: Contents
  readonly trace: Trace
  readonly reached: Reached
  readonly devices: readonly SimDevice[]
  during<T>(promise: Promise<T>): Promise<T>
}

/**
 * Faults of the state that a device stores: its index is lost, or its index and its folder return to an earlier state,
 * together or alone, often with a clock that was set; then its user edits what is there before others connect.
 */
export class StateFaults {
  readonly #deps: StateFaultsDeps
  readonly #enabled: boolean
  readonly #backups = new Map<SimDevice, Backup[]>()
  /** Faults so far: after one, a removed content may return, as the only record of its removal may be lost. */
  count = 0

  constructor(deps: StateFaultsDeps, enabled: boolean) {
    this.#deps = deps
    this.#enabled = enabled && deps.random.chance(RUNS_WITH_FAULTS)
  }

  async step(): Promise<void> {
    const { random, devices } = this.#deps
    if (!this.#enabled) return
    if (random.chance(BACKUPS_PER_STEP)) this.#backUp(pick(random, devices))
    for (const { store } of devices) if (store.isUnreadable && random.chance(READABLE_AGAIN)) store.isUnreadable = false
    if (random.chance(UNREADABLE_PER_STEP)) this.#makeUnreadable(pick(random, devices))
    if (random.chance(FAULTS_PER_STEP)) await this.#loseState(pick(random, devices))
  }

  /** All indexes can be read again. */
  end(): void {
    for (const { store } of this.#deps.devices) store.isUnreadable = false
  }

  #makeUnreadable(device: SimDevice): void {
    device.store.isUnreadable = true
    this.#note(device, 'cannot read its index')
    this.#deps.reached.note('an index was unreadable')
  }

  #backUp(device: SimDevice): void {
    const backups = this.#backups.get(device) ?? []
    backups.push(device.backUp())
    this.#backups.set(device, backups)
    this.#deps.trace.add(device.name, `backup ${backups.length}`)
  }

  async #loseState(device: SimDevice): Promise<void> {
    const { random, user, during } = this.#deps
    this.count++
    await this.#turnOff(device)
    await during(this.#fault(device))
    if (random.chance(0.6)) this.#setClock(device)
    for (let edits = random.int(4); edits > 0; edits--) user.act(device)
    await device.start()
  }

  async #turnOff(device: SimDevice): Promise<void> {
    const { random, user, during } = this.#deps
    if (random.chance(0.5)) {
      await during(device.stop())
      user.removals.unrecorded.stopped(device.name)
    } else {
      device.crash()
      user.removals.unrecorded.powerLost(device.name, device.clock.monotonicMs())
    }
  }

  async #fault(device: SimDevice): Promise<void> {
    const { random, reached } = this.#deps
    const backups = this.#backups.get(device) ?? []
    const backup = backups.length > 0 && random.chance(0.7) ? pick(random, backups) : undefined
    if (backup === undefined) {
      this.#note(device, 'loses its index')
      reached.note('an index was lost')
      return await device.loseIndex()
    }
    const what = pick(random, ['folder and home', 'folder and home', 'home', 'folder', 'folder, without its index'])
    this.#note(device, `restored from a backup: ${what}`)
    if (what !== 'home') this.#restoreFolder(device, backup, what === 'folder')
    if (what === 'home' || what === 'folder and home') await device.restoreHome(backup)
    if (what === 'folder, without its index') await device.loseIndex()
    reached.note(what === 'folder' ? 'a folder was restored from a backup' : 'a home was restored from a backup')
  }

  /**
   * What only this disk had is lost with it. A folder that is restored alone is the user's edit of all its files; with
   * the home, or without its index, it is a repair: what other devices have must not be lost.
   */
  #restoreFolder(device: SimDevice, backup: Backup, isEdit: boolean): void {
    const { contents, devices } = this.#deps
    const elsewhere = devices.filter((other) => other !== device).flatMap((other) => [...this.#contentsOf(other)])
    for (const content of this.#contentsOf(device)) {
      if (isEdit || !elsewhere.includes(content)) contents.released.add(content)
    }
    device.disk.direct.restore(ROOT, backup.items)
  }

  #contentsOf({ disk }: SimDevice): ReadonlySet<number> {
    const found = new Set<number>()
    for (const item of disk.direct.tree(ROOT).values()) {
      const content = item.type === 'file' ? this.#deps.contents.identify(item.content) : undefined
      if (content !== undefined) found.add(content)
    }
    return found
  }

  #setClock(device: SimDevice): void {
    const byMs = pick(this.#deps.random, [-100 * HOUR, -25 * HOUR, -HOUR, HOUR, 25 * HOUR])
    this.#note(device, `clock set by ${byMs} ms`)
    device.clock.jump(byMs)
    this.#deps.reached.note(byMs < 0 ? 'a clock was set back' : 'a clock was set forward')
  }

  #note(device: SimDevice, what: string): void {
    this.#deps.trace.add(device.name, what)
  }
}
