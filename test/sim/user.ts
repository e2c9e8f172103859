import { ancestorsOf, baseOf, joinPath, parentOf } from '../../src/core/paths.ts'
import type { SimItem } from '../../src/platform/sim/direct-access.ts'
import { pick, type SimRandom } from '../../src/platform/sim/random.ts'
import type { Contents } from './contents.ts'
import { ROOT, type SimDevice } from './device.ts'
import { Removals } from './removals.ts'
import { itemsAt, NAMES, UserPaths } from './user-paths.ts'
import type { Trace } from './trace.ts'

const MODES = [0o600, 0o644, 0o755] as const

/**
 * User actions: all kinds, or mostly changes of the type of items and moves of trees. `byzantine`: all kinds, with one
 * device that announces forged versions. `untrusted`: all kinds, on two devices around one that stores encrypted data;
 * `deceptive`: that one repeats, withholds and changes what it was given. `programs`: all kinds, on devices that decide
 * conflicts as Syncthing 1.x, 2.x and Twinfold do.
 */
export type Workload = 'mixed' | 'types' | 'byzantine' | 'untrusted' | 'deceptive' | 'programs'

/** Random user actions. Content that an action replaces or removes may disappear; all others must exist in the end. */
export class User {
  readonly #random: SimRandom
  readonly #contents: Contents
  readonly #trace: Trace
  readonly #workload: Workload
  readonly #paths: UserPaths
  readonly removals = new Removals()
  /** Sizes of all contents written, with copies. */
  writtenBytes = 0
  /** Contents with a changed mode, time or name: their history is not linear. */
  readonly touched = new Set<number>()
  /** Time of the last user action on a device. */
  readonly lastActionMs = new Map<SimDevice, number>()

  constructor(random: SimRandom, contents: Contents, trace: Trace, workload: Workload) {
    this.#random = random
    this.#workload = workload
    this.#paths = new UserPaths(random, workload === 'types')
    this.#contents = contents
    this.#trace = trace
  }

  /** Performs one action on this device, whether it is on or not. */
  act(device: SimDevice): void {
    const mixed = [
      this.#write,
      this.#write,
      this.#write,
      this.#edit,
      this.#edit,
      this.#edit,
      this.#remove,
      this.#remove,
      this.#rename,
      this.#rename,
      this.#makeDirectory,
      this.#symlink,
      this.#swap,
      this.#chmod,
      this.#touch,
      this.#editKeepingTime,
      this.#copy,
    ]
    const types = [
      this.#write,
      this.#write,
      this.#edit,
      this.#remove,
      this.#symlink,
      this.#makeDirectory,
      this.#swap,
      this.#swap,
      this.#swap,
      this.#rename,
      this.#rename,
      this.#moveTree,
      this.#moveTree,
      this.#moveUp,
      this.#moveUp,
    ]
    const actions = this.#workload === 'types' ? types : mixed
    this.#perform(device, () => pick(this.#random, actions).call(this, device))
  }

  #perform(device: SimDevice, action: () => void): void {
    this.lastActionMs.set(device, device.clock.monotonicMs())
    try {
      action()
    } catch {
      // The item has another type than the action needs.
    }
  }

  /** Writes a new content, unless the item is no file. */
  write(device: SimDevice, path: string): void {
    this.#perform(device, () => this.#put(device, path))
  }

  /** The same with a content of several blocks; that of a file that exists gets a hole. */
  writeBlocks(device: SimDevice, path: string): void {
    this.#perform(device, () => this.#put(device, path, (before) => this.#contents.makeBlocks(before)))
  }

  /** Removes the item if it exists. */
  remove(device: SimDevice, path: string): void {
    if (device.disk.direct.look(`${ROOT}/${path}`) !== undefined)
      this.#perform(device, () => this.#removeAt(device, path))
  }

  #write(device: SimDevice): void {
    this.#put(device, this.#paths.any(device))
  }

  #edit(device: SimDevice): void {
    const path = this.#paths.existing(device, 'file')
    if (path !== undefined) this.#put(device, path)
  }

  /** As by an unpacked archive: the new content has the time of the old one. */
  #editKeepingTime(device: SimDevice): void {
    const path = this.#paths.existing(device, 'file')
    const old = path === undefined ? undefined : device.disk.direct.look(`${ROOT}/${path}`)
    if (path === undefined || old === undefined) return
    this.#put(device, path)
    device.disk.direct.setModified(`${ROOT}/${path}`, Number(old.modifiedNs / 1_000_000n))
    this.#record(device, `puts the time of ${path} back`)
  }

  #put(device: SimDevice, path: string, make = (before: number | undefined) => this.#contents.make(before)): void {
    const old = device.disk.direct.look(`${ROOT}/${path}`)
    if (old !== undefined && old.type !== 'file') return
    const before = old === undefined ? undefined : this.#contents.identify(old.content)
    const content = make(before)
    this.#recordRemoval(device, path, old)
    this.#create(device, path, content)
    this.#record(
      device,
      `writes ${path} ${before === undefined ? '' : `<${before}> → `}<${this.#contents.identify(content)}>`,
    )
  }

  #create(device: SimDevice, path: string, content: Uint8Array): void {
    device.disk.direct.write(`${ROOT}/${path}`, content)
    this.writtenBytes += content.length
    this.#recordPut(device, path)
    if (!device.isActingOn(path)) this.#contents.written(content)
  }

  #remove(device: SimDevice): void {
    const path = this.#paths.existing(device)
    if (path !== undefined) this.#removeAt(device, path)
  }

  #removeAt(device: SimDevice, path: string): void {
    this.#record(device, `removes ${path}`)
    this.#recordRemovals(device, path)
    device.disk.direct.remove(`${ROOT}/${path}`)
  }

  #rename(device: SimDevice): void {
    this.#move(device, this.#paths.existing(device), this.#paths.any(device))
  }

  /** A directory with its content. */
  #moveTree(device: SimDevice): void {
    this.#move(device, this.#paths.existing(device, 'directory'), this.#paths.any(device))
  }

  /** To the parent of its directory, under the same name. */
  #moveUp(device: SimDevice): void {
    const from = this.#paths.existing(device)
    if (!from?.includes('/')) return
    const above = parentOf(parentOf(from))
    this.#move(device, from, above === '' ? baseOf(from) : joinPath(above, baseOf(from)))
  }

  #move(device: SimDevice, from: string | undefined, to: string): void {
    const { direct } = device.disk
    if (from === undefined || from === to || to.startsWith(`${from}/`)) return
    const target = direct.look(`${ROOT}/${to}`)
    if (target !== undefined && target.type !== 'file') return
    if (direct.look(`${ROOT}/${from}`)?.type === 'directory' && target !== undefined) return
    for (const [, item] of itemsAt(device, from)) {
      this.#touchedBy(item)
      if (device.isActingOn(to)) this.#release(item)
    }
    direct.rename(`${ROOT}/${from}`, `${ROOT}/${to}`)
    if (target !== undefined) this.#release(target)
    for (const path of itemsAt(device, to).keys()) this.#recordPut(device, path)
    this.#record(device, `renames ${from} to ${to}`)
  }

  #makeDirectory(device: SimDevice): void {
    const path = this.#paths.any(device)
    device.disk.direct.makeDirectories(`${ROOT}/${path}`)
    this.#recordPut(device, path)
    this.#record(device, `creates the directory ${path}`)
  }

  #symlink(device: SimDevice): void {
    const path = this.#paths.any(device)
    device.disk.direct.makeSymlink(`target-${this.#random.int(5)}`, `${ROOT}/${path}`)
    this.#recordPut(device, path)
    this.#record(device, `creates the symlink ${path}`)
  }

  /** Replaces an item by one of another type. */
  #swap(device: SimDevice): void {
    const path = this.#paths.existing(device)
    if (path === undefined) return
    const { direct } = device.disk
    const was = direct.look(`${ROOT}/${path}`)?.type
    this.#recordRemovals(device, path)
    direct.remove(`${ROOT}/${path}`)
    const kind = pick(
      this.#random,
      (['file', 'directory', 'symlink'] as const).filter((type) => type !== was),
    )
    if (kind === 'file') this.#create(device, path, this.#contents.make(undefined))
    else if (kind === 'directory')
      this.#create(device, `${path}/${pick(this.#random, NAMES)}`, this.#contents.make(undefined))
    else direct.makeSymlink('elsewhere', `${ROOT}/${path}`)
    this.#recordPut(device, path)
    this.#record(device, `replaces the ${was} ${path} by a ${kind}`)
  }

  #chmod(device: SimDevice): void {
    const path = this.#paths.existing(device, 'file')
    if (path === undefined) return
    this.#touchedBy(device.disk.direct.look(`${ROOT}/${path}`))
    const mode = pick(this.#random, MODES)
    device.disk.direct.chmod(`${ROOT}/${path}`, mode)
    this.#record(device, `sets the mode of ${path} to ${mode.toString(8)}`)
  }

  #touch(device: SimDevice): void {
    const path = this.#paths.existing(device, 'file')
    if (path === undefined) return
    this.#touchedBy(device.disk.direct.look(`${ROOT}/${path}`))
    device.disk.direct.setModified(`${ROOT}/${path}`, device.clock.nowMs() - this.#random.int(100_000_000))
    this.#record(device, `sets the time of ${path}`)
  }

  #copy(device: SimDevice): void {
    const from = this.#paths.existing(device, 'file')
    const to = this.#paths.any(device)
    const item = from === undefined ? undefined : device.disk.direct.look(`${ROOT}/${from}`)
    if (item === undefined || device.disk.direct.look(`${ROOT}/${to}`) !== undefined) return
    this.#touchedBy(item)
    device.disk.direct.write(`${ROOT}/${to}`, item.content)
    this.writtenBytes += item.content.length
    this.#recordPut(device, to)
    this.#record(device, `copies ${from} to ${to}`)
  }

  #recordRemovals(device: SimDevice, path: string): void {
    for (const [inner, item] of itemsAt(device, path)) this.#recordRemoval(device, inner, item)
  }

  #recordRemoval(device: SimDevice, path: string, item: SimItem | undefined): void {
    const content = this.#release(item)
    if (content !== undefined && content > 0) this.removals.removed(device.name, path, content)
  }

  /** Records the creation of an item, with the directories above it. */
  #recordPut(device: SimDevice, path: string): void {
    for (const made of [path, ...ancestorsOf(path)]) {
      const item = device.disk.direct.look(`${ROOT}/${made}`)
      if (made !== '' && item !== undefined) this.removals.put(device.name, made, this.#contents.identityOf(item))
    }
  }

  #release(item: SimItem | undefined): number | undefined {
    if (item?.type !== 'file') return undefined
    const content = this.#contents.identify(item.content)
    if (content !== undefined) this.#contents.released.add(content)
    return content
  }

  #touchedBy(item: SimItem | undefined): void {
    const content = item?.type === 'file' ? this.#contents.identify(item.content) : undefined
    if (content !== undefined) this.touched.add(content)
  }

  #record(device: SimDevice, what: string): void {
    this.#trace.add(device.name, `user ${what}`)
  }
}
