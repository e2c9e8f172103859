import { damaged } from '../sqlite/damage.ts'
import { maskedChecksum } from './crc32c.ts'

const BLOCK_BYTES = 32_768
const HEADER_BYTES = 7
const WHOLE = 1
const FIRST = 2
const LAST = 4

/**
 * The records of a log or a manifest. A damaged fragment at the end is a write that was interrupted: the records before
 * it are all there are. One in the middle is damage.
 */
export function* logRecords(data: Buffer): Generator<Buffer> {
  let parts: Buffer[] = []
  for (let at = 0; at < data.length;) {
    const left = BLOCK_BYTES - (at % BLOCK_BYTES)
    if (left < HEADER_BYTES) {
      at += left
      continue
    }
    const fragment = fragmentAt(data, at)
    if (fragment === undefined) return assertEnd(data, at)
    at += HEADER_BYTES + fragment.body.length
    if (fragment.type === WHOLE || fragment.type === FIRST) parts = []
    parts.push(fragment.body)
    if (fragment.type !== WHOLE && fragment.type !== LAST) continue
    yield parts.length === 1 ? fragment.body : Buffer.concat(parts)
    parts = []
  }
}

/** Undefined for anything but an intact fragment. */
function fragmentAt(data: Buffer, at: number): { readonly type: number; readonly body: Buffer } | undefined {
  const start = at + HEADER_BYTES
  if (start > data.length) return undefined
  const end = start + data.readUInt16LE(at + 4)
  const type = data[at + 6] ?? 0
  const inBlock = end <= data.length && end - (at - (at % BLOCK_BYTES)) <= BLOCK_BYTES
  if (!inBlock || type < WHOLE || type > LAST) return undefined
  if (maskedChecksum(data, at + 6, end) !== data.readUInt32LE(at)) return undefined
  return { type, body: data.subarray(start, end) }
}

function assertEnd(data: Buffer, at: number): void {
  for (let next = at - (at % BLOCK_BYTES) + BLOCK_BYTES; next < data.length; next += BLOCK_BYTES) {
    if (fragmentAt(data, next) !== undefined) throw damaged(`a damaged record at byte ${at}`)
  }
}
