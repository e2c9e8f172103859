import { ancestorsOf, baseOf, isInternal, isTemporary, joinPath, parentOf } from '../../src/core/paths.ts'
import type { SimItem } from '../../src/platform/sim/direct-access.ts'
import { pick, type SimRandom } from '../../src/platform/sim/random.ts'
import type { Contents } from './contents.ts'
import { ROOT, type SimDevice } from './device.ts'
import { Removals } from './removals.ts'
import type { Trace } from './trace.ts'

const DIRECTORIES = ['', 'a', 'a/b', 'c', 'd'] as const
const DEEP_DIRECTORIES = ['', 'a', 'a/b', 'a/b/c', 'a/b/c/d', 'one', 'two/three'] as const
const NAMES = ['one', 'two', 'three', 'four', 'five'] as const
const MODES = [0o600, 0o644, 0o755] as const

/**
 * User actions: all kinds, or mostly changes of the type of items and moves of trees. `byzantine`: all kinds, with one
 * device that announces forged versions.
 */
export type Workload = 'mixed' | 'types' | 'byzantine'

/** Neither an internal nor a temporary name. */
export function isUsers(path: string): boolean {
  return !isInternal(path) && !isTemporary(path)
}

/**
 * Random user actions. A content that an action replaces or removes may disappear; all others must exist at the end.
 */
export class User {
  readonly #random: SimRandom
  readonly #contents: Contents
  readonly #trace: Trace
  readonly #workload: Workload
  readonly removals = new Removals()
  /** Contents with a changed mode, time or name: their history is not linear. */
  readonly touched = new Set<number>()
  /** Edits of files that a device was replacing. */
  readonly #instants: { readonly device: SimDevice; readonly content: Uint8Array; readonly atMs: number }[] = []
  /** Time of the last user action on a device. */
  readonly lastActionMs = new Map<SimDevice, number>()

  constructor(random: SimRandom, contents: Contents, trace: Trace, workload: Workload) {
    this.#random = random
    this.#workload = workload
    this.#contents = contents
    this.#trace = trace
  }

  /**
   * A power loss in the very instant of a replacement may leave the replaced file under a temporary name: edits at this
   * moment are not counted as lost.
   */
  powerLost(device: SimDevice): void {
    for (const edit of this.#instants) {
      if (edit.device !== device || edit.atMs !== device.clock.monotonicMs()) continue
      this.#contents.released.add(this.#contents.identify(edit.content) ?? 0)
    }
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

  /** Removes the item if it exists. */
  remove(device: SimDevice, path: string): void {
    if (device.disk.hands.look(`${ROOT}/${path}`) !== undefined)
      this.#perform(device, () => this.#removeAt(device, path))
  }

  #write(device: SimDevice): void {
    this.#put(device, this.#anyPath(device))
  }

  #edit(device: SimDevice): void {
    const path = this.#existing(device, 'file')
    if (path !== undefined) this.#put(device, path)
  }

  #put(device: SimDevice, path: string): void {
    const old = device.disk.hands.look(`${ROOT}/${path}`)
    if (old !== undefined && old.type !== 'file') return
    const before = old === undefined ? undefined : this.#contents.identify(old.content)
    const content = this.#contents.make(before)
    this.#recordRemoval(device, path, old)
    this.#create(device, path, content)
    this.#record(
      device,
      `writes ${path} ${before === undefined ? '' : `<${before}> → `}<${this.#contents.identify(content)}>`,
    )
  }

  #create(device: SimDevice, path: string, content: Uint8Array): void {
    device.disk.hands.write(`${ROOT}/${path}`, content)
    this.#recordPut(device, path)
    if (device.isActingOn(path)) return
    this.#contents.written(content)
    if (device.changing.get(path) === 'update')
      this.#instants.push({ device, content, atMs: device.clock.monotonicMs() })
  }

  #remove(device: SimDevice): void {
    const path = this.#existing(device)
    if (path !== undefined) this.#removeAt(device, path)
  }

  #removeAt(device: SimDevice, path: string): void {
    this.#record(device, `removes ${path}`)
    this.#recordRemovals(device, path)
    device.disk.hands.remove(`${ROOT}/${path}`)
  }

  #rename(device: SimDevice): void {
    this.#move(device, this.#existing(device), this.#anyPath(device))
  }

  /** A directory with its content. */
  #moveTree(device: SimDevice): void {
    this.#move(device, this.#existing(device, 'directory'), this.#anyPath(device))
  }

  /** To the parent of its directory, under the same name. */
  #moveUp(device: SimDevice): void {
    const from = this.#existing(device)
    if (!from?.includes('/')) return
    const above = parentOf(parentOf(from))
    this.#move(device, from, above === '' ? baseOf(from) : joinPath(above, baseOf(from)))
  }

  #move(device: SimDevice, from: string | undefined, to: string): void {
    const { hands } = device.disk
    if (from === undefined || from === to || to.startsWith(`${from}/`)) return
    const target = hands.look(`${ROOT}/${to}`)
    if (target !== undefined && target.type !== 'file') return
    if (hands.look(`${ROOT}/${from}`)?.type === 'directory' && target !== undefined) return
    for (const [, item] of this.#itemsAt(device, from)) {
      this.#touchedBy(item)
      if (device.isActingOn(to)) this.#release(item)
    }
    hands.rename(`${ROOT}/${from}`, `${ROOT}/${to}`)
    if (target !== undefined) this.#release(target)
    for (const path of this.#itemsAt(device, to).keys()) this.#recordPut(device, path)
    this.#record(device, `renames ${from} to ${to}`)
  }

  #makeDirectory(device: SimDevice): void {
    const path = this.#anyPath(device)
    device.disk.hands.makeDirectories(`${ROOT}/${path}`)
    this.#recordPut(device, path)
    this.#record(device, `creates the directory ${path}`)
  }

  #symlink(device: SimDevice): void {
    const path = this.#anyPath(device)
    device.disk.hands.makeSymlink(`target-${this.#random.int(5)}`, `${ROOT}/${path}`)
    this.#recordPut(device, path)
    this.#record(device, `creates the symlink ${path}`)
  }

  /** Replaces an item by one of another type. */
  #swap(device: SimDevice): void {
    const path = this.#existing(device)
    if (path === undefined) return
    const { hands } = device.disk
    const was = hands.look(`${ROOT}/${path}`)?.type
    this.#recordRemovals(device, path)
    hands.remove(`${ROOT}/${path}`)
    const kind = pick(
      this.#random,
      (['file', 'directory', 'symlink'] as const).filter((type) => type !== was),
    )
    if (kind === 'file') this.#create(device, path, this.#contents.make(undefined))
    else if (kind === 'directory')
      this.#create(device, `${path}/${pick(this.#random, NAMES)}`, this.#contents.make(undefined))
    else hands.makeSymlink('elsewhere', `${ROOT}/${path}`)
    this.#recordPut(device, path)
    this.#record(device, `replaces the ${was} ${path} by a ${kind}`)
  }

  #chmod(device: SimDevice): void {
    const path = this.#existing(device, 'file')
    if (path === undefined) return
    this.#touchedBy(device.disk.hands.look(`${ROOT}/${path}`))
    const mode = pick(this.#random, MODES)
    device.disk.hands.chmod(`${ROOT}/${path}`, mode)
    this.#record(device, `sets the mode of ${path} to ${mode.toString(8)}`)
  }

  #touch(device: SimDevice): void {
    const path = this.#existing(device, 'file')
    if (path === undefined) return
    this.#touchedBy(device.disk.hands.look(`${ROOT}/${path}`))
    device.disk.hands.setModified(`${ROOT}/${path}`, device.clock.nowMs() - this.#random.int(100_000_000))
    this.#record(device, `sets the time of ${path}`)
  }

  #copy(device: SimDevice): void {
    const from = this.#existing(device, 'file')
    const to = this.#anyPath(device)
    const item = from === undefined ? undefined : device.disk.hands.look(`${ROOT}/${from}`)
    if (item === undefined || device.disk.hands.look(`${ROOT}/${to}`) !== undefined) return
    this.#touchedBy(item)
    device.disk.hands.write(`${ROOT}/${to}`, item.content)
    this.#recordPut(device, to)
    this.#record(device, `copies ${from} to ${to}`)
  }

  #recordRemovals(device: SimDevice, path: string): void {
    for (const [inner, item] of this.#itemsAt(device, path)) this.#recordRemoval(device, inner, item)
  }

  #recordRemoval(device: SimDevice, path: string, item: SimItem | undefined): void {
    const content = this.#release(item)
    if (content !== undefined && content > 0) this.removals.removed(device.name, path, content)
  }

  /** Records the creation of an item, with the directories above it. */
  #recordPut(device: SimDevice, path: string): void {
    for (const made of [path, ...ancestorsOf(path)]) {
      const item = device.disk.hands.look(`${ROOT}/${made}`)
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

  /** The item and everything below it. */
  #itemsAt(device: SimDevice, path: string): ReadonlyMap<string, SimItem> {
    const { hands } = device.disk
    const item = hands.look(`${ROOT}/${path}`)
    if (item === undefined) return new Map()
    const below = item.type === 'directory' ? hands.tree(`${ROOT}/${path}`) : new Map<string, SimItem>()
    return new Map([[path, item], ...Array.from(below, ([inner, found]) => [`${path}/${inner}`, found] as const)])
  }

  #anyPath(device: SimDevice): string {
    const directory = pick<string>(this.#random, this.#workload === 'types' ? DEEP_DIRECTORIES : DIRECTORIES)
    const existing = this.#random.chance(0.4) ? this.#existing(device) : undefined
    if (existing !== undefined) return existing
    return directory === '' ? pick(this.#random, NAMES) : `${directory}/${pick(this.#random, NAMES)}`
  }

  /** A random existing item, if there is any. */
  #existing(device: SimDevice, type?: SimItem['type']): string | undefined {
    const paths = [...device.disk.hands.tree(ROOT)].filter(
      ([path, item]) => isUsers(path) && (type ?? item.type) === item.type,
    )
    return paths.length === 0 ? undefined : pick(this.#random, paths)[0]
  }

  #record(device: SimDevice, what: string): void {
    this.#trace.add(device.name, `user ${what}`)
  }
}
