import type { DiskFile, DiskStat } from '../disk.ts'
import { diskError, type DiskCall } from './disk-faults.ts'
import type { SimFileNode } from './disk-node.ts'
import type { SimTree } from './disk-tree.ts'

export interface SimFileDeps {
  readonly tree: SimTree
  /** Applies latency and faults; fails when the disk crashed since the file was opened. */
  begin(call: DiskCall, path: string): Promise<void>
  readableBytes(requestedBytes: number): number
  /** Applies corruption to the data read. */
  spoil(read: Uint8Array, path: string): void
  changed(path: string): void
}

/** An open file: usable after its name is removed, closed by a crash. */
export class SimFile implements DiskFile {
  readonly #deps: SimFileDeps
  readonly #node: SimFileNode
  readonly #path: string
  readonly #writable: boolean
  #closed = false

  constructor(deps: SimFileDeps, node: SimFileNode, path: string, writable: boolean) {
    this.#deps = deps
    this.#node = node
    this.#path = path
    this.#writable = writable
  }

  async stat(): Promise<DiskStat> {
    await this.#begin('stat')
    return this.#deps.tree.stat(this.#node)
  }

  async read(into: Uint8Array, positionBytes: number): Promise<number> {
    await this.#begin('read')
    const count = this.#node.content.read(into.subarray(0, this.#deps.readableBytes(into.length)), positionBytes)
    this.#deps.spoil(into.subarray(0, count), this.#path)
    return count
  }

  async write(data: Uint8Array, positionBytes: number): Promise<void> {
    await this.#begin('write')
    if (!this.#writable) throw diskError('EBADF', 'write', this.#path)
    this.#deps.tree.write(this.#node, data, positionBytes, this.#path)
    this.#deps.changed(this.#path)
  }

  async truncate(sizeBytes: number): Promise<void> {
    await this.#begin('truncate')
    if (!this.#writable) throw diskError('EINVAL', 'truncate', this.#path)
    this.#deps.tree.truncate(this.#node, sizeBytes)
    this.#deps.changed(this.#path)
  }

  async sync(): Promise<void> {
    await this.#begin('sync')
    this.#deps.tree.syncNode(this.#node)
  }

  async chmod(mode: number): Promise<void> {
    await this.#begin('chmod')
    this.#deps.tree.metadata.chmod(this.#node, mode)
    this.#deps.changed(this.#path)
  }

  async chown(userId: number, groupId: number): Promise<void> {
    await this.#begin('chown')
    this.#deps.tree.metadata.chown(this.#node, userId, groupId)
    this.#deps.changed(this.#path)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#deps.begin('close', this.#path)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #begin(call: DiskCall): Promise<void> {
    if (this.#closed) throw diskError('EBADF', call, this.#path)
    await this.#deps.begin(call, this.#path)
  }
}
