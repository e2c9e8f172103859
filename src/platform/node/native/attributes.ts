import { failure, runSync } from './failure.ts'
import type { NativeLibrary } from './library.ts'
import type { AttributeCalls, PreparedCall } from './systems.ts'

/** Linux limits the list of names and each value to this. */
const SIZE_BYTES_MAX = 64 * 1_024

/** Extended attributes of items, symlinks not followed. Synchronous: a call takes some microseconds. */
export class NativeAttributes {
  readonly #library: NativeLibrary
  readonly #calls: AttributeCalls
  #buffer: Buffer | undefined

  constructor(library: NativeLibrary, calls: AttributeCalls) {
    this.#library = library
    this.#calls = calls
  }

  /** The names, as bytes. */
  list(path: string): readonly Buffer[] {
    const list = this.#read('listxattr', path, (into) => this.#calls.list(path, into))
    const names: Buffer[] = []
    for (let start = 0, end = list.indexOf(0); end >= 0; start = end + 1, end = list.indexOf(0, start))
      names.push(list.subarray(start, end))
    return names
  }

  get(path: string, name: string): Buffer {
    return this.#read('getxattr', path, (into) => this.#calls.get(path, name, into))
  }

  set(path: string, name: string, value: Uint8Array): void {
    const { errno } = runSync(this.#library, this.#calls.set(path, name, value))
    if (errno !== 0) throw failure(errno, 'setxattr', path)
  }

  remove(path: string, name: string): void {
    const { errno } = runSync(this.#library, this.#calls.remove(path, name))
    if (errno !== 0) throw failure(errno, 'removexattr', path)
  }

  #read(call: string, path: string, prepare: (into: Buffer) => PreparedCall): Buffer {
    this.#buffer ??= Buffer.allocUnsafeSlow(SIZE_BYTES_MAX)
    const { result, errno } = runSync(this.#library, prepare(this.#buffer))
    if (errno !== 0) throw failure(errno, call, path)
    return Buffer.from(this.#buffer.subarray(0, result))
  }
}
