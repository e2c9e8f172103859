import { hash } from 'node:crypto'
import { openBlock, openRecord } from '../../core/encryption/encrypted-record.ts'
import type { FolderCipher } from '../../core/encryption/folder-cipher.ts'
import { recordLength, TRAILER_LENGTH_BYTES } from '../../core/encryption/trailer.ts'
import { blocksOf } from '../../core/records/block-diff.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import type { DiskFile } from '../../platform/disk.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import { decodeRecord } from '../../protocol/record-bytes.ts'

/** The record of a 16 TiB file: a damaged length must not take all memory. */
const RECORD_BYTES_MAX = 128 * 1_024 * 1_024

/** A file of an encrypted folder. */
export class StoredFile {
  /** The record as its author made it. */
  readonly plain: FileInfo
  readonly #file: DiskFile
  readonly #cipher: FolderCipher
  readonly #outer: FileInfo

  private constructor(file: DiskFile, cipher: FolderCipher, outer: FileInfo, plain: FileInfo) {
    this.#file = file
    this.#cipher = cipher
    this.#outer = outer
    this.plain = plain
  }

  /** Rejects with the reason for a file that was not encrypted with this password, or is damaged. */
  static async open(file: DiskFile, cipher: FolderCipher): Promise<StoredFile> {
    const { sizeBytes } = await file.stat()
    const lengthAt = Math.max(0, sizeBytes - TRAILER_LENGTH_BYTES)
    const length = recordLength(await readAll(file, lengthAt, sizeBytes - lengthAt), sizeBytes)
    if (length === undefined || length > RECORD_BYTES_MAX) throw itemFailed('it does not end with a record')
    const outer = decodeRecord(await readAll(file, lengthAt - length, length))
    if (outer?.type !== 'file' || outer.deleted) throw itemFailed('it does not end with the record of a file')
    const opened = openRecord(cipher, outer)
    if (opened === undefined) throw itemFailed('its record is damaged, or was encrypted with another password')
    const plain = decodeRecord(opened.encoded)
    if (plain?.name !== opened.name || plain.type !== 'file') throw itemFailed('its record is of another item')
    return new StoredFile(file, cipher, outer, plain)
  }

  /** The content, block by block. Rejects with the reason at the first one that is not as its author hashed it. */
  async *blocks(): AsyncGenerator<{ readonly offsetBytes: number; readonly data: Uint8Array }> {
    const stored = blocksOf(this.#outer)
    const plain = blocksOf(this.plain)
    if (stored === undefined || plain === undefined || stored.length !== plain.length) {
      throw itemFailed('its record lists other blocks than it stores')
    }
    const cipher = this.#cipher.file(this.plain.name)
    for (const { number, offsetBytes, sizeBytes, hash: expected } of plain) {
      const sealed = await readAll(this.#file, stored[number]!.offsetBytes, stored[number]!.sizeBytes)
      const data = openBlock(cipher, sealed, sizeBytes)
      if (data === undefined || !hash('sha256', data, 'buffer').equals(expected)) {
        throw itemFailed(`block ${number} of ${plain.length} is damaged`)
      }
      yield { offsetBytes, data }
    }
  }
}

/** Fewer bytes at the end of the file. */
async function readAll(file: DiskFile, positionBytes: number, sizeBytes: number): Promise<Uint8Array> {
  const bytes = Buffer.alloc(sizeBytes)
  let done = 0
  while (done < sizeBytes) {
    const count = await file.read(bytes.subarray(done), positionBytes + done)
    if (count === 0) break
    done += count
  }
  return bytes.subarray(0, done)
}
