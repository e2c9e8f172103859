import { closeSync, constants, openSync } from 'node:fs'

/** Undefined where the system has no such flag. */
const DIRECT: number | undefined = process.platform === 'linux' ? constants.O_DIRECT : undefined

/**
 * A second way into an open file, past the memory in which the system keeps files. What goes this way is not copied, and
 * when a large file is complete there is nothing left to wait for; what others have in that memory stays there.
 */
export class DirectDescriptor {
  readonly #access: number
  #descriptor: number | undefined
  #refused = DIRECT === undefined

  constructor(access: 'read' | 'write') {
    this.#access = access === 'read' ? constants.O_RDONLY : constants.O_RDWR
  }

  /** Undefined where the file system knows no such way. Opened when it is first asked for: no disk is touched. */
  for(descriptor: number): number | undefined {
    if (this.#descriptor !== undefined || this.#refused || DIRECT === undefined) return this.#descriptor
    try {
      // By way of the open file, not of its name, which may lead elsewhere by now.
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
