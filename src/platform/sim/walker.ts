import { IgnoreRules } from '../../core/ignore/ignore.ts'
import { findFile } from '../files/find-file.ts'
import { BatchPacker, unpackBatch } from '../files/walk-batch.ts'
import { walkTree } from '../files/walk-tree.ts'
import type { WalkBatch, Walker, WalkRequest } from '../walk.ts'
import type { SimDisk } from './disk.ts'

/** Walks the simulated disk inline, with the code of the real thread. */
export class SimWalker implements Walker {
  readonly #disk: SimDisk

  constructor(disk: SimDisk) {
    this.#disk = disk
  }

  async *walk(request: WalkRequest, signal: AbortSignal): AsyncGenerator<WalkBatch, void, void> {
    signal.throwIfAborted()
    const packer = new BatchPacker(request)
    for (const _ of walkTree(this.#disk.sync, request, packer)) {
      if (!packer.isFull) continue
      yield unpackBatch(packer.take())
      signal.throwIfAborted()
    }
    yield unpackBatch(packer.take())
  }

  findFile(name: string, { root, ignoreLines }: Pick<WalkRequest, 'root' | 'ignoreLines'>) {
    return findFile(this.#disk.sync, root, name, new IgnoreRules(ignoreLines ?? []))
  }
}
