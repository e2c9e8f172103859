import type { FileInfo } from '../core/records/file-info.ts'
import { malformed, ProtocolError, violation } from './errors.ts'
import { fileFromWire, fileToWire } from './file-info.ts'
import { FILE_INFO, INDEX_ENVELOPE, INDEX_FILES_FIELD } from './messages.ts'
import { readFields, writeFields } from './schema.ts'
import type { IndexData } from './types.ts'
import { WIRE_BYTES, WireReader } from './wire-reader.ts'
import { WireWriter } from './wire-writer.ts'

/** A message may hold a hundred million records; what is delivered at a time stays small. */
const PART_FILE_COUNT_MAX = 5_000
/** Bytes of the message that one part stands for, once it holds a record. */
const PART_BYTES_MAX = 4 * 1024 * 1024
/** Counters of one record and what else it is made of. */
const FILE_PART_COUNT_MAX = 250_000
const FILES_TAG = INDEX_FILES_FIELD * 8 + WIRE_BYTES
/** A record of a small file takes about this much. */
const FILE_WIRE_BYTES_USUAL = 256

export type IndexKind = 'index' | 'index update'

/**
 * Takes a whole index message apart, record by record, in parts that bound what is in memory at once: the sequence
 * numbers between parts join up as if the peer had sent several messages. Records nobody can use are left out.
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

/** What an index says besides its records. Passes over all of them: a cut message is found out before any is used. */
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
