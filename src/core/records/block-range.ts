import { hash } from 'node:crypto'
import type { FileHead, FileInfo } from './file-info.ts'

/** The part of one block that a range of its file covers; offsets inside the block. */
export interface BlockPart {
  readonly number: number
  readonly fromBytes: number
  readonly toBytes: number
}

/** The parts of blocks that make up the bytes from `fromBytes` up to and without `toBytes`, in order. */
export function* blockParts(blockSizeBytes: number, fromBytes: number, toBytes: number): Iterable<BlockPart> {
  for (let at = fromBytes; at < toBytes;) {
    const number = Math.floor(at / blockSizeBytes)
    const startBytes = number * blockSizeBytes
    const endBytes = Math.min(startBytes + blockSizeBytes, toBytes)
    yield { number, fromBytes: at - startBytes, toBytes: endBytes - startBytes }
    at = endBytes
  }
}

/** A strong entity tag: files with the same tag have the same bytes. Undefined without a block list. */
export function contentTag({ blockHashes, sizeBytes }: FileInfo): string | undefined {
  if (blockHashes === undefined) return undefined
  return `"${sizeBytes.toString(36)}-${hash('sha256', blockHashes, 'base64url')}"`
}

/** The content of a file in hexadecimal digits, for clients to name it by; empty for what is no file. */
export function contentHash(head: Pick<FileHead, 'blocksHash' | 'deleted' | 'type'> | undefined): string {
  if (head === undefined || head.deleted || head.type !== 'file') return ''
  return Buffer.from(head.blocksHash ?? []).toString('hex')
}

/** The same tag from a record without its block list, of which it has the hash. */
export function headTag({ blocksHash, sizeBytes }: Pick<FileHead, 'blocksHash' | 'sizeBytes'>): string | undefined {
  if (blocksHash === undefined) return undefined
  return `"${sizeBytes.toString(36)}-${Buffer.from(blocksHash).toString('base64url')}"`
}
