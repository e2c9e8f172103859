import { violation } from '../core/wire/errors.ts'
import type { Body } from './body.ts'
import { CLOSE, DOWNLOAD_PROGRESS, PROGRESS_ENVELOPE, REQUEST, RESPONSE } from './messages.ts'
import { isUnusableName, nameFault, quoted } from './names.ts'
import { WireReader } from '../core/wire/reader.ts'
import { decode, encode, readFieldsInSteps, type Message } from '../core/wire/schema.ts'
import { STEP_BYTES, type Steps } from './steps.ts'
import type { BlockReply, BlockRequest, DownloadUpdate, RefusalCode } from './types.ts'
import { versionFromWire, versionToWire } from './version.ts'
import { WireWriter } from '../core/wire/writer.ts'

/** Twice the largest block: no valid request is larger. */
const REQUEST_SIZE_BYTES_MAX = 2 * 16 * 1024 * 1024
/** No hash, a plain hash, or the token that replaces it in an encrypted folder. */
const HASH_LENGTHS: ReadonlySet<number> = new Set([0, 32, 48])
/** Mostly block numbers of temporary files. */
const PROGRESS_PART_COUNT_MAX = 100_000
const UPDATE_KINDS = ['append', 'forget'] as const
const CODES: readonly ('none' | RefusalCode)[] = ['none', 'generic', 'no-such-file', 'invalid-file']
const RESPONSE_ID_TAG = 1 << 3
const RESPONSE_DATA_TAG = (2 << 3) | 2
const RESPONSE_PREFIX_BYTES_MAX = 24
/** Bounds the text of a peer that we send, log or display. */
const REASON_LENGTH_MAX = 1_024

export interface IncomingRequest {
  readonly id: number
  readonly request: BlockRequest
  /** Set when the request is to be refused without calling the handler. */
  readonly refusal: RefusalCode | undefined
}

export function readRequest(body: Uint8Array): IncomingRequest {
  const { id, folder, name, offset, size, hash, from_temporary, block_no } = decode(REQUEST, body, 0)
  const fault = nameFault(name)
  if (fault !== undefined) throw violation(`protocol error on request for ${quoted(name)} in ${folder}: ${fault}`)
  const request: BlockRequest = {
    folder,
    name,
    offsetBytes: offset,
    sizeBytes: size,
    hash,
    fromTemporary: from_temporary,
    blockNumber: block_no,
  }
  return { id, request, refusal: refusalOf(request) }
}

function refusalOf(request: BlockRequest): RefusalCode | undefined {
  if (request.sizeBytes < 0 || request.offsetBytes < 0 || request.blockNumber < 0) return 'invalid-file'
  if (!HASH_LENGTHS.has(request.hash.length) || isUnusableName(request.name)) return 'invalid-file'
  if (request.sizeBytes > REQUEST_SIZE_BYTES_MAX || !Number.isSafeInteger(request.offsetBytes)) return 'no-such-file'
  return undefined
}

export function writeRequest(id: number, request: BlockRequest): Uint8Array {
  return encode(REQUEST, {
    id,
    folder: request.folder,
    name: request.name,
    offset: request.offsetBytes,
    size: request.sizeBytes,
    hash: request.hash,
    from_temporary: request.fromTemporary,
    block_no: request.blockNumber,
  })
}

/** The data is a view into the message. An unknown code is a generic refusal. */
export function readResponse(body: Uint8Array): { readonly id: number; readonly reply: BlockReply } {
  const { id, data, code } = decode(RESPONSE, body, 0)
  const known = CODES[code] ?? 'generic'
  return { id, reply: known === 'none' ? { kind: 'data', data } : { kind: 'refused', code: known } }
}

export interface ResponseHead {
  readonly id: number
  /** Bytes before the data. */
  readonly headBytes: number
  readonly dataBytes: number
}

/**
 * The start of a Response of `lengthBytes`, when it is an id followed by data up to the end, the usual encoding;
 * undefined for any other encoding, and when too few bytes are buffered.
 */
export function peekResponse(start: Uint8Array, lengthBytes: number): ResponseHead | undefined {
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let factor = 1; factor <= 2 ** 28; factor *= 128) {
      const byte = start[at++] ?? 0xff // past the end: the loop runs out of factors
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
    return NaN
  }
  const hasId = start[0] === RESPONSE_ID_TAG
  if (hasId) at++
  const id = hasId ? varint() : 0
  if (start[at++] !== RESPONSE_DATA_TAG) return undefined
  const dataBytes = varint()
  return at + dataBytes === lengthBytes && id >= 0 ? { id, headBytes: at, dataBytes } : undefined
}

/** In two pieces, so that the data is not copied: they are written one after the other. */
export function writeResponse(id: number, reply: BlockReply): Body {
  if (reply.kind === 'refused') return [encode(RESPONSE, { id, code: CODES.indexOf(reply.code) })]
  const writer = new WireWriter(RESPONSE_PREFIX_BYTES_MAX)
  if (id !== 0) {
    writer.tag(1, 0)
    writer.int32(id)
  }
  if (reply.data.length === 0) return [writer.finish()]
  writer.uint32(RESPONSE_DATA_TAG)
  writer.uint32(reply.data.length)
  return [writer.finish(), reply.data, reply.headroomBytes]
}

export interface IncomingProgress {
  readonly folder: string
  readonly updates: readonly DownloadUpdate[]
}

/** Skips the updates. */
export function readProgressEnvelope(body: Uint8Array): Steps<never, Message<typeof PROGRESS_ENVELOPE>> {
  return readFieldsInSteps(PROGRESS_ENVELOPE, new WireReader(body, 0), PROGRESS_ENVELOPE.start(), STEP_BYTES)
}

/** Updates with invalid names or unknown kinds are skipped: they are an optimization only. */
export function readDownloadProgress(body: Uint8Array): IncomingProgress {
  const { folder, updates } = decode(DOWNLOAD_PROGRESS, body, PROGRESS_PART_COUNT_MAX)
  const usable: DownloadUpdate[] = []
  for (const update of updates) {
    const kind = UPDATE_KINDS[update.update_type]
    if (kind === undefined || nameFault(update.name) !== undefined || isUnusableName(update.name)) continue
    usable.push({
      kind,
      name: update.name,
      version: versionFromWire(update.version),
      blockIndexes: update.block_indexes.filter((index) => index >= 0),
      blockSizeBytes: update.block_size,
    })
  }
  return { folder, updates: usable }
}

export function writeDownloadProgress(folder: string, updates: readonly DownloadUpdate[]): Uint8Array {
  return encode(DOWNLOAD_PROGRESS, {
    folder,
    updates: updates.map((update) => ({
      update_type: UPDATE_KINDS.indexOf(update.kind),
      name: update.name,
      version: versionToWire(update.version),
      block_indexes: [...update.blockIndexes],
      block_size: update.blockSizeBytes,
    })),
  })
}

export function readClose(body: Uint8Array): string {
  return plainText(decode(CLOSE, body, 0).reason, REASON_LENGTH_MAX)
}

export function writeClose(reason: string): Uint8Array {
  return encode(CLOSE, { reason: plainText(reason, REASON_LENGTH_MAX) })
}

/** Truncates untrusted text and removes control and direction characters. */
export function plainText(text: string, lengthMax: number): string {
  const clean = text.slice(0, lengthMax * 2).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
  return clean.length <= lengthMax
    ? clean
    : `${clean
        .slice(0, lengthMax - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`
}
