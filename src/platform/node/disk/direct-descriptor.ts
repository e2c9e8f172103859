import { closeSync, constants, openSync } from 'node:fs'

/** Undefined where the system has no such flag. */
const DIRECT: number | undefined = process.platform === 'linux' ? constants.O_DIRECT : undefined

/**
 * A second descriptor of an open file that bypasses the page cache (O_DIRECT). Data is not copied, a sync of a large
 * file has nothing left to flush, and cached data of other programs is not evicted.
 */
export class DirectDescriptor {
  readonly #access: number
  #descriptor: number | undefined
  #refused = DIRECT === undefined

  constructor(access: 'read' | 'write') {
    this.#access = access === 'read' ? constants.O_RDONLY : constants.O_RDWR
  }

  /** Undefined where the file system does not support it. Opened on first use, without disk access. */
  for(descriptor: number): number | undefined {
    if (this.#descriptor !== undefined || this.#refused || DIRECT === undefined) return this.#descriptor
    try {
      // By descriptor, not by name, which may refer to another file by now.
      this.#descriptor = openSync(`/proc/self/fd/${descriptor}`, this.#access | DIRECT)
    } catch {
      this.#refused = true
    }
    return this.#descriptor
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
    this.#refused = true
  }
}
