import { open, readFile, readlink } from 'node:fs/promises'
import { messageOf } from '../../../core/errors.ts'
import { NativeAttributes } from './attributes.ts'
import { failure, runSync, type Outcome } from './failure.ts'
import { HEADER_BYTES, programPages, type PageRange } from './program-pages.ts'
import { loadLibrary, type NativeLibrary } from './library.ts'
import { linuxCalls, macCalls, type PreparedCall, type SystemCalls } from './systems.ts'

/** The system or this file system lacks the call: the caller uses another. */
const UNSUPPORTED: ReadonlySet<string> = new Set(['EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EXDEV'])

/**
 * Calls that Node lacks. Paths must be checked before. Failures are errors with the system's `code`. Calls that may
 * wait for the disk are asynchronous, with a synchronous form for threads.
 */
export class Posix {
  readonly attributes: NativeAttributes | undefined
  readonly #library: NativeLibrary
  readonly #calls: SystemCalls
  #programPages: readonly PageRange[] | undefined

  constructor(library: NativeLibrary, calls: SystemCalls) {
    this.#library = library
    this.#calls = calls
    this.attributes = calls.attributes && new NativeAttributes(library, calls.attributes)
  }

  /** Exchanges the names of two items atomically. False where that is not supported. */
  async exchange(from: string, to: string): Promise<boolean> {
    return this.#isSupported(from, await this.#run(this.#calls.exchange(from, to)))
  }

  exchangeSync(from: string, to: string): boolean {
    return this.#isSupported(from, runSync(this.#library, this.#calls.exchange(from, to)))
  }

  /** A rename that fails with `EEXIST` instead of replacing an item. False where that is not supported. */
  async renameNew(from: string, to: string): Promise<boolean> {
    return this.#isSupported(from, await this.#run(this.#calls.renameNew(from, to)))
  }

  renameNewSync(from: string, to: string): boolean {
    return this.#isSupported(from, runSync(this.#library, this.#calls.renameNew(from, to)))
  }

  /** Sets the times of the item itself, also of a symlink, to the nanosecond. */
  async setTimes(path: string, seconds: number, nanoseconds: number): Promise<void> {
    const { errno } = await this.#run(this.#calls.setTimes(path, timesOf(seconds, nanoseconds)))
    if (errno !== 0) throw failure(errno, 'utime', path)
  }

  setTimesOf(descriptor: number, seconds: number, nanoseconds: number): void {
    const { errno } = runSync(this.#library, this.#calls.setTimesOf(descriptor, timesOf(seconds, nanoseconds)))
    if (errno !== 0) throw failure(errno, 'futime', `descriptor ${descriptor}`)
  }

  /** Takes flock(2) on an open file without waiting; false when another open file holds it. */
  lock(descriptor: number): boolean {
    const { errno } = runSync(this.#library, this.#calls.lock(descriptor))
    if (errno === 0) return true
    const error = failure(errno, 'lock', `descriptor ${descriptor}`)
    if (error.code === 'EAGAIN' || error.code === 'EWOULDBLOCK') return false
    throw error
  }

  /** Makes all that was written to the file system of an open file durable; false where it failed or is not known. */
  async syncFileSystem(descriptor: number): Promise<boolean> {
    const prepared = this.#calls.syncFileSystem?.(descriptor)
    return prepared !== undefined && (await called(prepared)) === 0
  }

  /** Returns freed memory to the system, which glibc keeps for itself: up to 64 MiB after large buffers. */
  async trimMemory(): Promise<void> {
    if (this.#calls.trim !== undefined) await this.#run(this.#calls.trim)
  }

  /**
   * Takes the pages of Node's executable that have been used out of the resident memory: they stay in the page cache of
   * the system, and those that are used again are mapped again without reading the disk. A start uses three times as
   * many as an idle device.
   */
  async dropProgramPages(): Promise<void> {
    const { dropPages } = this.#calls
    if (dropPages === undefined) return
    this.#programPages ??= await findProgramPages()
    for (const range of this.#programPages) await this.#run(dropPages(range))
  }

  async #run(prepared: PreparedCall): Promise<Outcome> {
    const result = await called(prepared)
    // The reason of a failure stays in the other thread. Nothing has changed, so the call is repeated here to read it.
    return result >= 0 ? { result, errno: 0 } : runSync(this.#library, prepared)
  }

  #isSupported(path: string, { errno }: Outcome): boolean {
    if (errno === 0) return true
    const error = failure(errno, 'rename', path)
    if (UNSUPPORTED.has(error.code)) return false
    throw error
  }
}

/** Its result, from another thread. */
function called({ call, args }: PreparedCall): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  call.async(...args, (error, result) => (error === null ? resolve(result) : reject(error))) // at most six
  return promise
}

/** They never change. None where the system does not tell. */
async function findProgramPages(): Promise<readonly PageRange[]> {
  try {
    const [file, maps] = await Promise.all([readlink('/proc/self/exe'), readFile('/proc/self/maps', 'latin1')])
    await using program = await open('/proc/self/exe')
    const { buffer, bytesRead } = await program.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0)
    return programPages(maps, file, buffer.subarray(0, bytesRead))
  } catch {
    return []
  }
}

/** Access and modification, each as seconds and nanoseconds. */
function timesOf(seconds: number, nanoseconds: number): BigInt64Array {
  const [s, ns] = [BigInt(seconds), BigInt(nanoseconds)]
  return new BigInt64Array([s, ns, s, ns])
}

let probed: { readonly calls: Posix } | { readonly reason: string } | undefined

/** The calls, loaded at the first use; undefined where they cannot be used. */
export function posix(): Posix | undefined {
  probed ??= probe()
  return 'calls' in probed ? probed.calls : undefined
}

/** Why `posix` has no calls; undefined where it has. */
export function whyNoPosix(): string | undefined {
  probed ??= probe()
  return 'reason' in probed ? probed.reason : undefined
}

/** Loads the library and compares the result of a harmless call. */
function probe(): NonNullable<typeof probed> {
  if (process.env['TWINFOLD_NATIVE'] === 'off') return { reason: 'switched off by TWINFOLD_NATIVE' }
  try {
    const library = loadLibrary()
    if (library.func('getpid', 'int', [])() !== process.pid) return { reason: 'a call returned a wrong result' }
    return { calls: new Posix(library, process.platform === 'linux' ? linuxCalls(library) : macCalls(library)) }
  } catch (error) {
    return { reason: messageOf(error) }
  }
}
