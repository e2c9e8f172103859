import { isTemporary } from '../../src/core/paths.ts'
import type { SimNetwork } from '../../src/platform/sim/net.ts'
import { pick, type SimRandom } from '../../src/platform/sim/random.ts'
import { DOCS } from '../support/model.ts'
import { ROOT, type SimDevice } from './device.ts'
import type { Reached, Sometime } from './sometimes.ts'
import type { Trace } from './trace.ts'
import type { User } from './user.ts'
import { isUsers } from './user-paths.ts'

const S = 1_000
const HOUR = 3_600 * S
const YEAR = 365 * 24 * HOUR
const FAILING_CALLS = ['open', 'stat', 'list', 'rename', 'read', 'sync', 'mkdir', 'utime'] as const

export interface FaultInjectorDeps {
  readonly random: SimRandom
  readonly network: SimNetwork
  readonly user: User
  readonly trace: Trace
  readonly reached: Reached
  readonly devices: readonly SimDevice[]
  /** Advances the clock until the promise settles. */
  during<T>(promise: Promise<T>): Promise<T>
  /** Checks the contents of a disk after a power loss. */
  checkContents(device: SimDevice): void
}

/** Injects user actions and faults, between the operations of devices and within them. */
export class FaultInjector {
  readonly #deps: FaultInjectorDeps
  readonly #states = new Map<SimDevice, string>()
  /** Actions to run when a device starts its next item. */
  readonly #interrupts = new Map<SimDevice, () => void>()
  readonly #corruption: SimRandom
  readonly #instants: SimRandom
  actions = 0

  constructor(deps: FaultInjectorDeps) {
    this.#deps = deps
    this.#corruption = deps.random.stream('rot')
    this.#instants = deps.random.stream('instants')
  }

  async step(): Promise<void> {
    const { random, devices } = this.#deps
    if (this.#corruption.chance(0.2)) this.#corrupt()
    if (this.#instants.chance(0.4)) this.#editAtReplacement(pick(this.#instants, devices))
    const device = pick(random, devices)
    const chance = random.int(100)
    if (chance < 34) return this.#actSome(device)
    if (chance < 37) return this.#makeUnreadable(device)
    if (chance < 52) return this.#actLater(device)
    if (chance < 55) return this.#crash(device)
    if (chance < 69) return this.#crashLater(device)
    if (chance < 76) return this.#stopOrStart(device)
    if (chance < 82) return this.#partition(device)
    if (chance < 87) return this.healAll()
    if (chance < 91) return this.#cutConnections(device)
    if (chance < 94) return this.#setClock(device)
    if (chance < 96) return this.#failDisk(device)
    return this.#interrupt(device, () => this.#requestScan(device))
  }

  /** Cancels all planned faults. */
  end(): void {
    this.#interrupts.clear()
    for (const device of this.#deps.devices) {
      if (device.disk.faults.corruptReads > 0) this.#deps.reached.note('a disk returned corrupt data')
      device.disk.faults.clear()
      device.badBlocks = 0
      device.incarnation?.clearPlans()
    }
    this.healAll()
  }

  healAll(): void {
    const { devices, network } = this.#deps
    for (const a of devices) for (const b of devices) if (a !== b) network.heal(a.name, b.name)
  }

  stateChanged(device: SimDevice, state: string): void {
    this.#states.set(device, state)
  }

  itemStarted(device: SimDevice): void {
    this.#interrupts.get(device)?.()
    this.#interrupts.delete(device)
  }

  #actSome(device: SimDevice): void {
    for (let i = 1 + this.#deps.random.int(4); i > 0; i--) this.#act(device)
  }

  #act(device: SimDevice): void {
    this.actions++
    if (device.isOn && device.watching) this.#deps.reached.note('a watched folder was changed')
    this.#deps.user.act(device)
  }

  /** A user action within the next operation of the device. */
  #actLater(device: SimDevice): void {
    if (device.incarnation === undefined) return this.#actSome(device)
    this.#interrupt(device, () => {
      this.#noteState(device, 'syncing', 'a user changed a file in the middle of a pull')
      this.#act(device)
    })
  }

  /** The user writes a file in the very instant in which the device replaces it; in some runs it then loses power. */
  #editAtReplacement(device: SimDevice): void {
    device.incarnation?.atReplacement((path) => {
      if (!path.startsWith(`${ROOT}/`)) return
      this.#deps.reached.note('a user changed a file in the instant of its replacement')
      this.actions++
      this.#deps.user.write(device, path.slice(ROOT.length + 1))
      if (!this.#instants.chance(0.3)) return
      device.incarnation?.beforeCall(1 + this.#instants.int(5), () => {
        this.#deps.reached.note('a device lost power after an edit in the instant of a replacement')
        this.#crash(device)
      })
    })
  }

  /**
   * Runs `action` a few disk calls from now, or a few after the next item starts; mostly a user action on another
   * device then provides such an item.
   */
  #interrupt(device: SimDevice, action: () => void): void {
    const { random, devices } = this.#deps
    const calls = 1 + random.int(40)
    if (random.chance(0.3)) return device.incarnation?.beforeCall(calls, action)
    const soon = 1 + (calls % pick(random, [4, 20]))
    this.#interrupts.set(device, () => device.incarnation?.beforeCall(soon, action))
    if (random.chance(0.7))
      this.#actSome(
        pick(
          random,
          devices.filter((other) => other !== device),
        ),
      )
  }

  #crash(device: SimDevice): void {
    if (!device.isOn) return
    device.crash()
    this.#deps.user.removals.unrecorded.powerLost(device.name, device.clock.monotonicMs())
    const left = [...device.disk.direct.tree(ROOT).keys()]
    if (left.some(isTemporary)) this.#deps.reached.note('a temporary file was left by a crash')
    this.#deps.checkContents(device)
  }

  #crashLater(device: SimDevice): void {
    const { random } = this.#deps
    const crash = (): void => {
      this.#noteState(device, 'syncing', 'a device lost power while it pulled')
      this.#noteState(device, 'scanning', 'a device lost power while it scanned')
      this.#crash(device)
    }
    if (random.chance(0.8)) return this.#interrupt(device, crash)
    this.#requestScan(device)
    device.incarnation?.beforeCall(1 + random.int(20), crash)
  }

  async #stopOrStart(device: SimDevice): Promise<void> {
    if (!device.isOn) return device.start()
    await this.#deps.during(device.stop())
    this.#deps.user.removals.unrecorded.stopped(device.name)
    this.#deps.reached.note('a device was stopped and restarted')
    if (this.#deps.random.chance(0.5)) await device.start()
  }

  #partition(device: SimDevice): void {
    const { devices, network, random, reached, trace } = this.#deps
    for (const other of devices) {
      if (other === device || random.chance(0.3)) continue
      trace.add('', `${device.name} and ${other.name} are partitioned`)
      network.partition(device.name, other.name)
      reached.note('devices were partitioned')
    }
  }

  #cutConnections(device: SimDevice): void {
    const { devices, network, reached, trace } = this.#deps
    for (const other of devices) if (other !== device) network.cut(device.name, other.name)
    trace.add('', `the connections of ${device.name} are cut`)
    reached.note('a connection was cut')
  }

  #setClock(device: SimDevice): void {
    const byMs = pick(this.#deps.random, [-10 * YEAR, -HOUR, -5 * S, -S, S, 5 * S, HOUR, 24 * HOUR, 10 * YEAR])
    this.#deps.reached.note(byMs < 0 ? 'a clock was set back' : 'a clock was set forward')
    this.#deps.trace.add(device.name, `clock set by ${byMs} ms`)
    device.clock.jump(byMs)
  }

  #failDisk(device: SimDevice): void {
    const { random, reached, trace } = this.#deps
    const full = random.chance(0.5)
    const fault = full
      ? ({ call: 'write', code: 'ENOSPC' } as const)
      : { call: pick(random, FAILING_CALLS), code: pick(random, ['EIO', 'EACCES']) }
    device.disk.fail({ ...fault, nth: 1 + random.int(20), times: 1 + random.int(20), under: ROOT })
    trace.add(device.name, `disk will fail: ${fault.call} ${fault.code}`)
    reached.note(full ? 'a disk was full' : 'a disk call failed')
  }

  /** A few of the next reads of a device, or blocks that it serves, are corrupt. */
  #corrupt(): void {
    const random = this.#corruption
    const device = pick(random, this.#deps.devices)
    const times = 1 + random.int(6)
    if (random.chance(0.5)) {
      device.badBlocks = times
      return this.#deps.trace.add(device.name, `will serve ${times} corrupt blocks`)
    }
    device.disk.rot({ nth: 1 + random.int(4), times, under: ROOT })
    this.#deps.trace.add(device.name, `disk will return corrupt data ${times} times`)
  }

  /** Makes one directory, or the whole folder, unreadable for some calls, and scans. */
  #makeUnreadable(device: SimDevice): void {
    const { random, trace } = this.#deps
    const items = [...device.disk.direct.tree(ROOT)].filter(([path, { type }]) => type === 'directory' && isUsers(path))
    const [path, code] = [items.length > 0 ? pick(random, items)[0] : '', pick(random, ['EACCES', 'EIO'])]
    const times = 4 + random.int(60)
    device.disk.fail({ call: 'list', code, times, under: path === '' ? ROOT : `${ROOT}/${path}` })
    device.disk.fail({ call: 'stat', code, times, under: path === '' ? ROOT : `${ROOT}/${path}` })
    trace.add(device.name, `${path === '' ? 'everything' : path} cannot be read for ${times} calls: ${code}`)
    this.#requestScan(device)
  }

  #requestScan(device: SimDevice): void {
    this.#noteState(device, 'syncing', 'a scan was requested while the folder was pulling')
    device.model?.scan(DOCS).catch(() => {}) // refused while the folder has an error
  }

  #noteState(device: SimDevice, state: string, what: Sometime): void {
    if (this.#states.get(device) === state) this.#deps.reached.note(what)
  }
}
