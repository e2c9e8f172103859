/** Records of an index as they are sent, to be changed by tests. */
import type { FileInfo } from '../../src/core/records/file-info.ts'
import { readIndex } from './read-index.ts'
import { encode } from '../../src/core/wire/schema.ts'
import { FULL_INDEX } from './reference-schema.ts'

export type RawFile = Record<string, unknown>

export const HASH = new Uint8Array(32).fill(9)
export const KIB_128 = 128 * 1024
const VERSION = { counters: [{ id: 5n, value: 3n }] }

export function block(size: number, offset = 0, hash: Uint8Array = HASH): RawFile {
  return { offset, size, hash }
}

export const GOOD: RawFile = {
  name: 'a/b',
  size: 10,
  permissions: 0o644,
  modified_s: 100,
  modified_ns: 5,
  version: VERSION,
  sequence: 1,
  block_size: KIB_128,
  blocks: [block(10)],
}
export const DIRECTORY: RawFile = { name: 'd', type: 1, permissions: 0o755, version: VERSION, sequence: 1 }
export const LINK: RawFile = {
  name: 'l',
  type: 4,
  no_permissions: true,
  version: VERSION,
  sequence: 1,
  symlink_target: Buffer.from('../x'),
}

export function bodyOf(files: readonly RawFile[]): Uint8Array {
  return encode(FULL_INDEX, { folder: 'v', files: files as never, last_sequence: files.length })
}

/** The single record of an index as decoded; undefined when it was skipped. */
export function read(raw: RawFile): FileInfo | undefined {
  return [...readIndex(bodyOf([raw]), 'index')][0]?.files[0]
}
