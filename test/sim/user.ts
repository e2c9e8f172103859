import {
  ancestorsOf,
  baseOf,
  isConflictName,
  isInternal,
  isTemporary,
  joinPath,
  parentOf,
} from '../../src/core/paths.ts'
import type { SeenItem } from '../../src/platform/sim/disk-hands.ts'
import { pick, type SimRandom } from '../../src/platform/sim/random.ts'
import type { Contents } from './contents.ts'
import { ROOT, type SimDevice } from './device.ts'
import { Past } from './past.ts'
import type { Trace } from './trace.ts'

const DIRECTORIES = ['', 'a', 'a/b', 'c', 'd'] as const
const DEEP_DIRECTORIES = ['', 'a', 'a/b', 'a/b/c', 'a/b/c/d', 'one', 'two/three'] as const
const NAMES = ['one', 'two', 'three', 'four', 'five'] as const
const MODES = [0o600, 0o644, 0o755] as const

/** What people do: a bit of everything, or turning files, directories and symlinks into each other and moving trees. */
export type Taste = 'everything' | 'shapes'

/** A name in a folder that people use: neither ours nor a temporary one. */
export function isUsers(path: string): boolean {
  return !isInternal(path) && !isTemporary(path)
}

/**
 * What people do to their files, by chance. A content that is in the way of what they do, and that they therefore have
 * before their eyes, may go; all others must be there in the end. An edit of a conflict copy is not held to that: of two
 * such edits apart one goes, as in Syncthing, which makes no copies of copies.
 */
export class User {
  readonly #random: SimRandom
  readonly #contents: Contents
  readonly #trace: Trace
  readonly #taste: Taste
  readonly past = new Past()
  /** Contents of which somebody changed the mode, the time or the name: their past is no straight line. */
  readonly touched = new Set<number>()
  /** When somebody last did something on a device. */
  readonly lastActMs = new Map<SimDevice, number>()

  constructor(random: SimRandom, contents: Contents, trace: Trace, taste: Taste) {
    this.#random = random
    this.#taste = taste
    this.#contents = contents
    this.#trace = trace
  }

  /** Does one thing on this device, whether it is on or not. */
  act(device: SimDevice): void {
    const everything = [
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
    const shapes = [
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
    const deeds = this.#taste === 'shapes' ? shapes : everything
    this.#acted(device, () => pick(this.#random, deeds).call(this, device))
  }

  #acted(device: SimDevice, deed: () => void): void {
    this.lastActMs.set(device, device.clock.monotonicMs())
    try {
      deed()
    } catch {
      // A file is where a directory should be, or the other way round: people see that and do something else.
    }
  }

  /** Writes something new there, unless what has the name is no file. */
  write(device: SimDevice, path: string): void {
    this.#acted(device, () => this.#put(device, path))
  }

  /** Removes what is there, if anything is. */
  remove(device: SimDevice, path: string): void {
    if (device.disk.hands.look(`${ROOT}/${path}`) !== undefined) this.#acted(device, () => this.#removeAt(device, path))
  }

  /**
   * What is a file or a symlink here is a directory with news in it elsewhere. Devices say so and wait for a person:
   * here it comes and gives the name another one. False when nothing is in the way.
   */
  makeWay(device: SimDevice, path: string): boolean {
    const { hands } = device.disk
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
      const above = path.slice(0, end)
      const item = hands.look(`${ROOT}/${above}`)
      if (item === undefined || item.type === 'directory') continue
      this.#touchedBy(item)
      hands.rename(`${ROOT}/${above}`, `${ROOT}/${above} moved by ${device.name}`)
      this.#say(device, `moves ${above} out of the way`)
      return true
    }
    return false
  }

  #write(device: SimDevice): void {
    this.#put(device, this.#anyPath(device))
  }

  #edit(device: SimDevice): void {
    const path = this.#somebodys(device, 'file')
    if (path !== undefined) this.#put(device, path)
  }

  #put(device: SimDevice, path: string): void {
    const old = device.disk.hands.look(`${ROOT}/${path}`)
    if (old !== undefined && old.type !== 'file') return
    const before = old === undefined ? undefined : this.#contents.identify(old.content)
    const content = this.#contents.make(before)
    this.#farewell(device, path, old)
    this.#create(device, path, content)
    this.#say(
      device,
      `writes ${path} ${before === undefined ? '' : `<${before}> → `}<${this.#contents.identify(content)}>`,
    )
  }

  #create(device: SimDevice, path: string, content: Uint8Array): void {
    device.disk.hands.write(`${ROOT}/${path}`, content)
    this.#arrived(device, path)
    if (!isConflictName(path) && !device.isActingUpon(path)) this.#contents.written(content)
  }

  #remove(device: SimDevice): void {
    const path = this.#somebodys(device)
    if (path !== undefined) this.#removeAt(device, path)
  }

  #removeAt(device: SimDevice, path: string): void {
    this.#say(device, `removes ${path}`)
    this.#farewellAll(device, path)
    device.disk.hands.remove(`${ROOT}/${path}`)
  }

  #rename(device: SimDevice): void {
    this.#move(device, this.#somebodys(device), this.#anyPath(device))
  }

  /** A directory with all that is in it. */
  #moveTree(device: SimDevice): void {
    this.#move(device, this.#somebodys(device, 'directory'), this.#anyPath(device))
  }

  /** Out of the directory it is in, under the same name. */
  #moveUp(device: SimDevice): void {
    const from = this.#somebodys(device)
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
      if (isConflictName(to) || device.isActingUpon(to)) this.#release(item)
    }
    hands.rename(`${ROOT}/${from}`, `${ROOT}/${to}`)
    if (target !== undefined) this.#release(target)
    for (const path of this.#itemsAt(device, to).keys()) this.#arrived(device, path)
    this.#say(device, `renames ${from} to ${to}`)
  }

  #makeDirectory(device: SimDevice): void {
    const path = this.#anyPath(device)
    device.disk.hands.makeDirectories(`${ROOT}/${path}`)
    this.#arrived(device, path)
    this.#say(device, `makes the directory ${path}`)
  }

  #symlink(device: SimDevice): void {
    const path = this.#anyPath(device)
    device.disk.hands.makeSymlink(`target-${this.#random.int(5)}`, `${ROOT}/${path}`)
    this.#arrived(device, path)
    this.#say(device, `makes the symlink ${path}`)
  }

  /** Something else by the same name. */
  #swap(device: SimDevice): void {
    const path = this.#somebodys(device)
    if (path === undefined) return
    const { hands } = device.disk
    const was = hands.look(`${ROOT}/${path}`)?.type
    this.#farewellAll(device, path)
    hands.remove(`${ROOT}/${path}`)
    const kind = pick(
      this.#random,
      (['file', 'directory', 'symlink'] as const).filter((type) => type !== was),
    )
    if (kind === 'file') this.#create(device, path, this.#contents.make(undefined))
    else if (kind === 'directory')
      this.#create(device, `${path}/${pick(this.#random, NAMES)}`, this.#contents.make(undefined))
    else hands.makeSymlink('elsewhere', `${ROOT}/${path}`)
    this.#arrived(device, path)
    this.#say(device, `makes a ${kind} of the ${was} ${path}`)
  }

  #chmod(device: SimDevice): void {
    const path = this.#somebodys(device, 'file')
    if (path === undefined) return
    this.#touchedBy(device.disk.hands.look(`${ROOT}/${path}`))
    const mode = pick(this.#random, MODES)
    device.disk.hands.chmod(`${ROOT}/${path}`, mode)
    this.#say(device, `sets the mode of ${path} to ${mode.toString(8)}`)
  }

  #touch(device: SimDevice): void {
    const path = this.#somebodys(device, 'file')
    if (path === undefined) return
    this.#touchedBy(device.disk.hands.look(`${ROOT}/${path}`))
    device.disk.hands.setModified(`${ROOT}/${path}`, device.clock.nowMs() - this.#random.int(100_000_000))
    this.#say(device, `sets the time of ${path}`)
  }

  #copy(device: SimDevice): void {
    const from = this.#somebodys(device, 'file')
    const to = this.#anyPath(device)
    const item = from === undefined ? undefined : device.disk.hands.look(`${ROOT}/${from}`)
    if (item === undefined || device.disk.hands.look(`${ROOT}/${to}`) !== undefined) return
    this.#touchedBy(item)
    device.disk.hands.write(`${ROOT}/${to}`, item.content)
    this.#arrived(device, to)
    this.#say(device, `copies ${from} to ${to}`)
  }

  #farewellAll(device: SimDevice, path: string): void {
    for (const [inner, item] of this.#itemsAt(device, path)) this.#farewell(device, inner, item)
  }

  #farewell(device: SimDevice, path: string, item: SeenItem | undefined): void {
    const content = this.#release(item)
    if (content !== undefined && content > 0) this.past.farewell(device.name, path, content)
  }

  /** Somebody who sees what is there, or that nothing is, puts something there, with the directories above it. */
  #arrived(device: SimDevice, path: string): void {
    for (const made of [path, ...ancestorsOf(path)]) {
      const item = device.disk.hands.look(`${ROOT}/${made}`)
      if (made !== '' && item !== undefined) this.past.put(device.name, made, this.#contents.shapeOf(item))
    }
  }

  #release(item: SeenItem | undefined): number | undefined {
    if (item?.type !== 'file') return undefined
    const content = this.#contents.identify(item.content)
    if (content !== undefined) this.#contents.released.add(content)
    return content
  }

  #touchedBy(item: SeenItem | undefined): void {
    const content = item?.type === 'file' ? this.#contents.identify(item.content) : undefined
    if (content !== undefined) this.touched.add(content)
  }

  /** The item and everything below it. */
  #itemsAt(device: SimDevice, path: string): ReadonlyMap<string, SeenItem> {
    const { hands } = device.disk
    const item = hands.look(`${ROOT}/${path}`)
    if (item === undefined) return new Map()
    const below = item.type === 'directory' ? hands.tree(`${ROOT}/${path}`) : new Map<string, SeenItem>()
    return new Map([[path, item], ...Array.from(below, ([inner, found]) => [`${path}/${inner}`, found] as const)])
  }

  #anyPath(device: SimDevice): string {
    const directory = pick<string>(this.#random, this.#taste === 'shapes' ? DEEP_DIRECTORIES : DIRECTORIES)
    const taken = this.#random.chance(0.4) ? this.#somebodys(device) : undefined
    if (taken !== undefined) return taken
    return directory === '' ? pick(this.#random, NAMES) : `${directory}/${pick(this.#random, NAMES)}`
  }

  /** Something that is there, if there is anything. */
  #somebodys(device: SimDevice, type?: SeenItem['type']): string | undefined {
    const paths = [...device.disk.hands.tree(ROOT)].filter(
      ([path, item]) => isUsers(path) && (type ?? item.type) === item.type,
    )
    return paths.length === 0 ? undefined : pick(this.#random, paths)[0]
  }

  #say(device: SimDevice, what: string): void {
    this.#trace.add(device.name, `user ${what}`)
  }
}
