import { hash } from 'node:crypto'
import { looksLike, type BlockAnswer, type BlockOrder, type BlockReader } from './block-reader.ts'
import type { Disk, DiskFile } from '../disk.ts'
import { openInside } from './open-inside.ts'

/** Reads blocks by way of a disk, one call after the other. */
export class DiskBlockReader implements BlockReader {
  readonly #disk: Disk
  /** Real paths of roots as they were lately; one for every folder. */
  readonly #realRoots = new Map<string, string>()

  constructor(disk: Disk) {
    this.#disk = disk
  }

  async read(order: BlockOrder): Promise<BlockAnswer> {
    await using opened = await openInside(this.#disk, order.root, order.name, this.#realRoots.get(order.root))
    if (opened === undefined) return { kind: 'absent' }
    this.#realRoots.set(order.root, opened.realRoot)
    const { sizeBytes, modifiedS, modifiedNs } = opened.stat
    // Allocated after a look at the file: a request alone must not cost memory.
    const memory = Buffer.allocUnsafeSlow(Math.max(0, Math.min(order.sizeBytes, sizeBytes - order.offsetBytes)))
    const data = memory.subarray(0, await fill(opened.file, memory, order.offsetBytes)) // never what the memory held before
    const isTrusted =
      order.recorded !== undefined && data.length === order.sizeBytes && looksLike(opened.stat, order.recorded)
    if (!isTrusted && !hash('sha256', data, 'buffer').equals(order.hash))
      return { kind: 'different', sizeBytes, modifiedS, modifiedNs }
    return { kind: 'read', data, headroomBytes: 0, giveBack: () => {} }
  }
}

/** How much there was. */
async function fill(file: DiskFile, into: Uint8Array, offsetBytes: number): Promise<number> {
  let count = 0
  while (count < into.length) {
    const more = await file.read(into.subarray(count), offsetBytes + count)
    if (more === 0) break
    count += more
  }
  return count
}
