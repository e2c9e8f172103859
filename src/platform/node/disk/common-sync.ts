import { readFileSync, statfsSync } from 'node:fs'
import { release } from 'node:os'
import { posix } from '../native/posix.ts'

/** Ext2 to ext4, XFS, Btrfs. Others were not measured; network and FUSE file systems may not sync at all. */
const TYPES: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e])
/** Since this version of Linux the call reports data that could not be written. */
const RELEASE_MIN = [5, 8] as const
/** What other programs have written and the disk lacks would be waited for, too: less than a second on most disks. */
const UNWRITTEN_BYTES_MAX = 256 * 1_024 * 1_024
/** Until it is looked at again. */
const UNWRITTEN_PAUSE_MS = 200
/** A sync that took longer had to wait for others: for some time, longer each time, files are synced by themselves. */
const SLOW_MS = 500
const PAUSE_MS_MIN = 10_000
const PAUSE_MS_MAX = 600_000
const KNOWN_MAX = 64

/** What it needs of the system. */
export interface CommonSyncSystem {
  /** Undefined where it lacks the call. */
  readonly syncFileSystem: ((descriptor: number) => Promise<boolean>) | undefined
  release(): string
  /** The number of its kind. */
  fileSystemOf(descriptor: number): number
  /** Undefined where it does not tell. */
  unwrittenBytes(): number | undefined
  nowMs(): number
}

interface OpenFile {
  readonly descriptor: number
  readonly deviceId: number
}

/** Makes all that was written to a file system durable by one call, where it is known to do so soon. */
export class CommonSync {
  readonly #system: CommonSyncSystem
  /** Whether the call may be used, by file system. */
  readonly #known = new Map<number, boolean>()
  #pausedUntilMs = Number.NEGATIVE_INFINITY
  #pauseMs = PAUSE_MS_MIN

  constructor(system: CommonSyncSystem = nodeSystem()) {
    this.#system = system
  }

  maySync({ descriptor, deviceId }: OpenFile): boolean {
    if (this.#system.nowMs() < this.#pausedUntilMs || !this.#isUsable(descriptor, deviceId)) return false
    const bytes = this.#system.unwrittenBytes()
    if (bytes !== undefined && bytes <= UNWRITTEN_BYTES_MAX) return true
    this.#pausedUntilMs = this.#system.nowMs() + UNWRITTEN_PAUSE_MS
    return false
  }

  /**
   * False where something could not be written, also of other programs; then this file system is not used again. What
   * is to be durable must have been written after this file was opened: failures since then are reported to it.
   */
  async sync({ descriptor, deviceId }: OpenFile): Promise<boolean> {
    const { nowMs, syncFileSystem } = this.#system
    const startedMs = nowMs()
    const isDurable = await syncFileSystem?.(descriptor).catch(() => false)
    if (nowMs() - startedMs >= SLOW_MS) {
      this.#pausedUntilMs = nowMs() + this.#pauseMs
      this.#pauseMs = Math.min(2 * this.#pauseMs, PAUSE_MS_MAX)
    }
    if (isDurable !== true) this.#known.set(deviceId, false)
    return isDurable === true
  }

  #isUsable(descriptor: number, deviceId: number): boolean {
    const known = this.#known.get(deviceId)
    if (known !== undefined) return known
    const { fileSystemOf, release, syncFileSystem } = this.#system
    const isUsable = syncFileSystem !== undefined && reportsFailures(release()) && TYPES.has(fileSystemOf(descriptor))
    if (this.#known.size >= KNOWN_MAX) this.#known.clear()
    this.#known.set(deviceId, isUsable)
    return isUsable
  }
}

function reportsFailures(release: string): boolean {
  const [major = 0, minor = 0] = release.split('.').map((part) => Number.parseInt(part, 10))
  return major > RELEASE_MIN[0] || (major === RELEASE_MIN[0] && minor >= RELEASE_MIN[1])
}

function nodeSystem(): CommonSyncSystem {
  const native = process.platform === 'linux' ? posix() : undefined
  return {
    syncFileSystem: native && ((descriptor) => native.syncFileSystem(descriptor)),
    release,
    fileSystemOf: (descriptor) => statfsSync(`/proc/self/fd/${descriptor}`).type,
    unwrittenBytes,
    nowMs: () => performance.now(),
  }
}

const UNWRITTEN = /^(?:Dirty|Writeback): +(\d+) kB$/gm

function unwrittenBytes(): number | undefined {
  try {
    let kib = 0
    for (const [, value] of readFileSync('/proc/meminfo', 'latin1').matchAll(UNWRITTEN)) kib += Number(value)
    return kib * 1_024
  } catch {
    return undefined
  }
}
