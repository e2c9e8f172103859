import { hash } from 'node:crypto'
import { sealBytes } from '../../core/encryption/xchacha.ts'
import { hasSameStamp, type BlockResult, type BlockOrder, type BlockReader } from './block-reader.ts'
import type { Disk } from '../disk.ts'
import { fillBuffer } from '../fill-buffer.ts'
import { openInside } from './open-inside.ts'

/** Reads blocks through a disk, sequentially. */
export class DiskBlockReader implements BlockReader {
  readonly #disk: Disk
  /** Cached real paths of folder roots. */
  readonly #realRoots = new Map<string, string>()

  constructor(disk: Disk) {
    this.#disk = disk
  }

  async read(order: BlockOrder): Promise<BlockResult> {
    await using opened = await openInside(this.#disk, order.root, order.name, this.#realRoots.get(order.root))
    if (opened === undefined) return { kind: 'absent' }
    this.#realRoots.set(order.root, opened.realRoot)
    const { sizeBytes, modifiedS, modifiedNs } = opened.stat
    // Allocated after opening the file: a request alone must not cost memory.
    const memory = Buffer.allocUnsafeSlow(Math.max(0, Math.min(order.sizeBytes, sizeBytes - order.offsetBytes)))
    // Never uninitialized memory.
    const data = memory.subarray(0, await fillBuffer(opened.file, memory, order.offsetBytes))
    const isTrusted =
      order.recorded !== undefined && data.length === order.sizeBytes && hasSameStamp(opened.stat, order.recorded)
    if (!isTrusted && !hash('sha256', data, 'buffer').equals(order.hash))
      return { kind: 'different', sizeBytes, modifiedS, modifiedNs }
    const result = order.seal === undefined ? data : sealBytes(order.seal, data)
    return { kind: 'read', data: result, headroomBytes: 0, releaseBuffer: () => {} }
  }
}
