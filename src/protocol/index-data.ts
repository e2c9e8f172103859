import type { FileInfo } from '../core/records/file-info.ts'
import { malformed, ProtocolError, violation } from '../core/wire/errors.ts'
import { WIRE_BYTES, WireReader } from '../core/wire/reader.ts'
import { readFields, readFieldsInSteps, writeFields, type Message } from '../core/wire/schema.ts'
import { WireWriter } from '../core/wire/writer.ts'
import { fileFromWire, fileToWire } from './file-info.ts'
import { FILE_INFO, INDEX_ENVELOPE, INDEX_FILES_FIELD } from './messages.ts'
import { STEP_BYTES, type Steps } from './steps.ts'
import type { IndexData } from './types.ts'

/** Syncthing sends up to 1,000 records in a message. */
const RECORD_COUNT_MAX = 100_000
/** Bounds the records delivered at a time. */
const PART_FILE_COUNT_MAX = 5_000
/** Bytes of the message per part; a part contains at least one record. */
const PART_BYTES_MAX = 4 * 1024 * 1024
/** Counters and attributes of one record. */
export const FILE_PART_COUNT_MAX = 20_000
const FOLDER_TAG = 1 * 8 + WIRE_BYTES
const FILES_TAG = INDEX_FILES_FIELD * 8 + WIRE_BYTES
/** Typical size of the record of a small file. */
const FILE_WIRE_BYTES_USUAL = 256

export type IndexKind = 'index' | 'index update'

/** The fields of an index message besides the records. */
export type IndexEnvelope = Message<typeof INDEX_ENVELOPE>

/** The folder of an index message when it is the first field, as every implementation sends it; otherwise undefined. */
export function firstFolder(body: Uint8Array): string | undefined {
  const reader = new WireReader(body, 0)
  return !reader.done && reader.tag() === FOLDER_TAG ? reader.text() : undefined
}

/** Skips all records, so that a truncated message is detected before any is used. */
export function readIndexEnvelope(body: Uint8Array): Steps<never, IndexEnvelope> {
  return readFieldsInSteps(INDEX_ENVELOPE, new WireReader(body, 0), INDEX_ENVELOPE.start(), STEP_BYTES)
}

/**
 * Splits an index message into parts that bound memory: the sequence numbers of the parts are contiguous, as if the
 * peer had sent several messages. Unusable records are skipped.
 */
export function* readIndex(body: Uint8Array, envelope: IndexEnvelope, kind: IndexKind): Steps<IndexData> {
  const { folder } = envelope
  const where = `protocol error on ${kind} for ${folder}`
  if (!Number.isSafeInteger(envelope.last_sequence)) throw violation(`${where}: sequence number out of range`)
  let prevSequence = Number.isSafeInteger(envelope.prev_sequence) ? envelope.prev_sequence : 0
  for (const part of fileParts(body, where)) {
    if (part === undefined) {
      yield
      continue
    }
    const lastSequence = part.isLast ? envelope.last_sequence : (part.files.at(-1)?.sequence ?? prevSequence)
    yield { folder, files: part.files, lastSequence, prevSequence }
    prevSequence = lastSequence
  }
}

interface Part {
  readonly files: readonly FileInfo[]
  readonly isLast: boolean
}

function* fileParts(body: Uint8Array, where: string): Steps<Part> {
  const reader = new WireReader(body, 0)
  let files: FileInfo[] = []
  let recordCount = 0
  let partEndBytes = reader.leftBytes - PART_BYTES_MAX
  let stepEndBytes = reader.leftBytes - STEP_BYTES
  while (!reader.done) {
    if (reader.leftBytes <= stepEndBytes) {
      yield
      stepEndBytes = reader.leftBytes - STEP_BYTES
    }
    const tag = reader.tag()
    if (tag !== FILES_TAG) {
      reader.skip(tag)
      continue
    }
    if (files.length >= PART_FILE_COUNT_MAX || (reader.leftBytes <= partEndBytes && files.length > 0)) {
      yield { files, isLast: false }
      files = []
      partEndBytes = reader.leftBytes - PART_BYTES_MAX
    }
    if (++recordCount > RECORD_COUNT_MAX) throw malformed(`an index message of more than ${RECORD_COUNT_MAX} records`)
    const file = yield* readFile(reader.view(), where)
    if (file !== undefined) files.push(file)
  }
  yield { files, isLast: true }
}

function* readFile(view: Uint8Array, where: string): Steps<never, FileInfo | undefined> {
  try {
    const reader = new WireReader(view, FILE_PART_COUNT_MAX)
    if (view.length <= STEP_BYTES) return fileFromWire(readFields(FILE_INFO, reader, FILE_INFO.start()))
    return fileFromWire(yield* readFieldsInSteps(FILE_INFO, reader, FILE_INFO.start(), STEP_BYTES))
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
