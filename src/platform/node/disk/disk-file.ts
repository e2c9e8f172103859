import { readlinkSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { DiskFile, DiskStat } from '../../disk.ts'
import { nameFromBytes } from '../../files/disk-name.ts'
import { DirectDescriptor } from './direct-descriptor.ts'
import { exactStat } from './disk-stat.ts'
import { refuseOwners } from './refusals.ts'

/** An open file over a handle of Node. */
export class NodeFile implements DiskFile {
  readonly opened?: DiskStat
  readonly #handle: FileHandle
  readonly #direct: DirectDescriptor

  constructor(handle: FileHandle, access: 'read' | 'write', opened?: DiskStat) {
    this.#handle = handle
    this.#direct = new DirectDescriptor(access)
    if (opened !== undefined) this.opened = opened
  }

  get descriptor(): number {
    return this.#handle.fd
  }

  get directDescriptor(): number | undefined {
    return this.#direct.for(this.#handle.fd)
  }

  async stat(): Promise<DiskStat> {
    return exactStat(await this.#handle.stat({ bigint: true }))
  }

  async read(into: Uint8Array, positionBytes: number): Promise<number> {
    return (await this.#handle.read(into, 0, into.length, positionBytes)).bytesRead
  }

  async write(data: Uint8Array, positionBytes: number): Promise<void> {
    for (let done = 0; done < data.length;) {
      const { bytesWritten } = await this.#handle.write(data, done, data.length - done, positionBytes + done)
      done += bytesWritten
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
    this.#direct.close()
    return this.#handle.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
