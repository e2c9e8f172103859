import type { FileInfo } from '../core/records/file-info.ts'
import { malformed, ProtocolError, violation } from '../core/wire/errors.ts'
import { fileFromWire, fileToWire } from './file-info.ts'
import { FILE_INFO, INDEX_ENVELOPE, INDEX_FILES_FIELD } from './messages.ts'
import { readFields, writeFields } from '../core/wire/schema.ts'
import type { IndexData } from './types.ts'
import { WIRE_BYTES, WireReader } from '../core/wire/reader.ts'
import { WireWriter } from '../core/wire/writer.ts'

/** Bounds the records delivered at a time: a message may contain a hundred million. */
const PART_FILE_COUNT_MAX = 5_000
/** Bytes of the message per part; a part contains at least one record. */
const PART_BYTES_MAX = 4 * 1024 * 1024
/** Counters and other elements of one record. */
const FILE_PART_COUNT_MAX = 250_000
const FILES_TAG = INDEX_FILES_FIELD * 8 + WIRE_BYTES
/** Typical size of the record of a small file. */
const FILE_WIRE_BYTES_USUAL = 256

export type IndexKind = 'index' | 'index update'

/**
 * Splits an index message into parts that bound memory: the sequence numbers of the parts are contiguous, as if the
 * peer had sent several messages. Unusable records are skipped.
 */
export function* readIndex(body: Uint8Array, kind: IndexKind): Generator<IndexData> {
  const envelope = readEnvelope(body)
  const { folder } = envelope
  const where = `protocol error on ${kind} for ${folder}`
  if (!Number.isSafeInteger(envelope.last_sequence)) throw violation(`${where}: sequence number out of range`)
  let prevSequence = Number.isSafeInteger(envelope.prev_sequence) ? envelope.prev_sequence : 0
  for (const { files, isLast } of fileParts(body, where)) {
    const lastSequence = isLast ? envelope.last_sequence : (files.at(-1)?.sequence ?? prevSequence)
    yield { folder, files, lastSequence, prevSequence }
    prevSequence = lastSequence
  }
}

/** The fields besides the records. Skips all records, so that a truncated message is detected before any is used. */
function readEnvelope(body: Uint8Array) {
  return readFields(INDEX_ENVELOPE, new WireReader(body, 0), INDEX_ENVELOPE.start())
}

function* fileParts(body: Uint8Array, where: string): Generator<{ files: FileInfo[]; isLast: boolean }> {
  const reader = new WireReader(body, 0)
  let files: FileInfo[] = []
  let bytes = 0
  while (!reader.done) {
    const tag = reader.tag()
    if (tag !== FILES_TAG) {
      reader.skip(tag)
      continue
    }
    if (files.length >= PART_FILE_COUNT_MAX || (bytes >= PART_BYTES_MAX && files.length > 0)) {
      yield { files, isLast: false }
      files = []
      bytes = 0
    }
    const view = reader.view()
    bytes += view.length
    const file = readFile(view, where)
    if (file !== undefined) files.push(file)
  }
  yield { files, isLast: true }
}

function readFile(view: Uint8Array, where: string): FileInfo | undefined {
  try {
    return fileFromWire(readFields(FILE_INFO, new WireReader(view, FILE_PART_COUNT_MAX), FILE_INFO.start()))
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw malformed('a record that cannot be read', { cause: error })
    throw error.kind === 'violation' ? violation(`${where}: ${error.message}`) : error
  }
}

export function writeIndex(data: IndexData): Uint8Array {
  const blockBytes = data.files.reduce((sum, file) => sum + (file.blockHashes?.length ?? 0), 0)
  const writer = new WireWriter(64 + data.files.length * FILE_WIRE_BYTES_USUAL + blockBytes * 2)
  writeFields(INDEX_ENVELOPE, writer, { folder: data.folder })
  for (const file of data.files) {
    writer.tag(INDEX_FILES_FIELD, WIRE_BYTES)
    const start = writer.begin()
    writeFields(FILE_INFO, writer, fileToWire(file))
    writer.end(start)
  }
  writeFields(INDEX_ENVELOPE, writer, { last_sequence: data.lastSequence, prev_sequence: data.prevSequence })
  return writer.finish()
}
