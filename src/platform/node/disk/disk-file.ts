import { fstatSync, readlinkSync, writeSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { DiskFile, DiskStat } from '../../disk.ts'
import { nameFromBytes } from '../../files/disk-name.ts'
import { DirectDescriptor } from './direct-descriptor.ts'
import { exactStat } from './disk-stat.ts'
import { refuseOwners } from './refusals.ts'

/** A file system that takes longer may be on the network, and must not stop the event loop. */
export const QUICK_MS_MAX = 5
/** Larger writes may wait until the disk has written others. */
const INLINE_BYTES_MAX = 32 * 1_024

interface NodeFileOptions {
  readonly opened?: DiskStat
  /** It took less than QUICK_MS_MAX to open the file. */
  readonly isQuick?: boolean
}

/** An open file over a handle of Node. */
export class NodeFile implements DiskFile {
  readonly opened?: DiskStat
  readonly #handle: FileHandle
  readonly #direct: DirectDescriptor

  /** The file system answers at once: then small calls that do not wait for the disk are made inline. */
  #isQuick: boolean

  constructor(handle: FileHandle, access: 'read' | 'write', { opened, isQuick = false }: NodeFileOptions = {}) {
    this.#handle = handle
    this.#direct = new DirectDescriptor(access)
    this.#isQuick = isQuick
    if (opened !== undefined) this.opened = opened
  }

  get descriptor(): number {
    return this.#handle.fd
  }

  get directDescriptor(): number | undefined {
    return this.#direct.for(this.#handle.fd)
  }

  async stat(): Promise<DiskStat> {
    const stats = this.#isQuick
      ? this.#inline(() => fstatSync(this.#handle.fd, { bigint: true }))
      : await this.#handle.stat({ bigint: true })
    return exactStat(stats)
  }

  async read(into: Uint8Array, positionBytes: number): Promise<number> {
    return (await this.#handle.read(into, 0, into.length, positionBytes)).bytesRead
  }

  async write(data: Uint8Array, positionBytes: number): Promise<void> {
    if (this.#isQuick && data.length <= INLINE_BYTES_MAX)
      return this.#inline(() => this.#writeInline(data, positionBytes))
    for (let done = 0; done < data.length;) {
      const { bytesWritten } = await this.#handle.write(data, done, data.length - done, positionBytes + done)
      done += bytesWritten
    }
  }

  #writeInline(data: Uint8Array, positionBytes: number): void {
    for (let done = 0; done < data.length;)
      done += writeSync(this.#handle.fd, data, done, data.length - done, positionBytes + done)
  }

  /** In a thread of the runtime these calls take ten times as long. */
  #inline<T>(call: () => T): T {
    const startedMs = performance.now()
    try {
      return call()
    } finally {
      this.#isQuick = performance.now() - startedMs < QUICK_MS_MAX
    }
  }

  truncate(sizeBytes: number): Promise<void> {
    return this.#handle.truncate(sizeBytes)
  }

  sync(): Promise<void> {
    return this.#handle.sync()
  }

  chmod(mode: number): Promise<void> {
    return this.#handle.chmod(mode)
  }

  async chown(userId: number, groupId: number): Promise<void> {
    refuseOwners('chown')
    await this.#handle.chown(userId, groupId)
  }

  async realPath(): Promise<string | undefined> {
    if (process.platform !== 'linux') return undefined
    try {
      // Resolved in memory, without disk access.
      const { name, valid } = nameFromBytes(readlinkSync(`/proc/self/fd/${this.#handle.fd}`, { encoding: 'buffer' }))
      return valid ? name : undefined
    } catch {
      return undefined // no /proc
    }
  }

  close(): Promise<void> {
    this.#isQuick = false // the handle refuses calls after this
    this.#direct.close()
    return this.#handle.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
