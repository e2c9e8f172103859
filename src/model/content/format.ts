import { trailerOf as encodeTrailer } from '../../core/encryption/trailer.ts'
import type { Block } from '../../core/records/block-diff.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import type { DiskFile } from '../../platform/disk.ts'
import { hasHash, type FileMaker } from '../../platform/file-maker.ts'
import { encodeRecord } from '../../protocol/record-bytes.ts'

/** How the content of a file is verified and stored. */
export interface FileFormat {
  /** Blocks are known by their hashes, so those of other files and of an interrupted pull can be used. */
  readonly isVerifiable: boolean
  /** Files of one block up to this size are obtained in memory. */
  readonly memorySizeBytesMax: number
  verify(block: Block, data: Uint8Array): boolean | Promise<boolean>
  /** Verifies and writes a block of the right length; false, with nothing written, where it is wrong. */
  write(file: DiskFile, block: Block, data: Uint8Array): Promise<boolean>
}

/** Larger files are looked up on this machine first. */
const PLAIN_MEMORY_SIZE_BYTES_MAX = 32 * 1_024 - 1

/** `plain` is made once for many files. */
export function formatOf(global: FileInfo, plain: FileFormat): FileFormat {
  return global.encrypted === undefined ? plain : ENCRYPTED
}

export function plainFormat(fileMaker: FileMaker): FileFormat {
  return {
    isVerifiable: true,
    memorySizeBytesMax: PLAIN_MEMORY_SIZE_BYTES_MAX,
    verify: ({ hash }, data) => hasHash({ data, hash }),
    write: (file, { offsetBytes, hash }, data) => fileMaker.write(file, { data, positionBytes: offsetBytes, hash }),
  }
}

/** What follows the content on disk. An encrypted file has its record there: that and the password restore it. */
export function trailerOf(global: FileInfo): Uint8Array | undefined {
  return global.encrypted === undefined ? undefined : encodeTrailer(encodeRecord(global))
}

/** Blocks cannot be verified without the password: only their lengths are checked. */
const ENCRYPTED: FileFormat = {
  isVerifiable: false,
  memorySizeBytesMax: 256 * 1_024,
  verify: () => true,
  write: async (file, { offsetBytes }, data) => {
    await file.write(data, offsetBytes)
    return true
  },
}
