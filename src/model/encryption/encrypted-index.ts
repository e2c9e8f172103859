import {
  encryptRecord,
  isBlockOf,
  mayBeBlock,
  openRecord,
  PADDED_BYTES_MIN,
} from '../../core/encryption/encrypted-record.ts'
import type { FolderCipher } from '../../core/encryption/folder-cipher.ts'
import { isEncryptedPath } from '../../core/encryption/names.ts'
import { NONCE_BYTES } from '../../core/encryption/xchacha.ts'
import { FLAG_RECEIVE_ONLY, FLAG_REMOTE_INVALID, isInvalid, type FileInfo } from '../../core/records/file-info.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import type { FolderIndex } from '../../db/types.ts'
import { decodeRecord, encodeRecord, isPlainlyRecord } from '../../protocol/record-bytes.ts'
import type { IndexData } from '../../protocol/types.ts'
import { NEVER } from '../../core/never.ts'

/** Records between two pauses for other work: some milliseconds. */
const RECORDS_PER_STEP = 100

export interface EncryptedIndexDeps {
  readonly clock: Clock
  readonly random: Random
}

/** The records as a device gets them that must not read them. */
export async function encryptIndex(
  deps: EncryptedIndexDeps,
  cipher: FolderCipher,
  data: IndexData,
): Promise<IndexData> {
  const files = await inSteps(deps.clock, data.files, (file) => {
    // A change that stays here is sent without a version, as it is to other devices.
    const plain = (file.localFlags & FLAG_RECEIVE_ONLY) === 0 ? file : { ...file, version: [] }
    return encryptRecord(cipher, plain, encodeRecord(plain), deps.random.bytes(NONCE_BYTES))
  })
  return { ...data, files }
}

export interface DecryptIndexDeps extends Pick<EncryptedIndexDeps, 'clock'> {
  /** Whether the plain bytes of a record are those of a block of the item, which the device returned as a record. */
  isBlock(name: string, plain: Uint8Array): Promise<boolean>
  /** A record that no release known to us makes: it is kept, but not used. */
  onStrange(name: string): void
}

/** The plain records of an untrusted device; undefined when one was not sealed as a record with this password. */
export async function decryptIndex(
  { clock, isBlock, onStrange }: DecryptIndexDeps,
  cipher: FolderCipher,
  data: IndexData,
): Promise<IndexData | undefined> {
  const opened = await inSteps(clock, data.files, (file) => openSealed(cipher, file))
  for (const each of opened) {
    if (each === undefined || (await isBlock(each.record.name, each.encoded))) return undefined
    if (each.isStrange) onStrange(each.record.name)
  }
  return { ...data, files: opened.map((each) => each!.record) }
}

/** Whether a record belongs into a folder that is stored encrypted. */
export function isEncryptedRecord({ name, encrypted }: FileInfo): boolean {
  return encrypted !== undefined && isEncryptedPath(name)
}

/** An encrypted record in a plain folder is unusable: its password is not known here. */
export function withoutEncrypted(data: IndexData): IndexData {
  if (data.files.every(({ encrypted }) => encrypted === undefined)) return data
  const usable = (file: FileInfo): FileInfo =>
    file.encrypted === undefined ? file : { ...file, localFlags: file.localFlags | FLAG_REMOTE_INVALID }
  return { ...data, files: data.files.map(usable) }
}

interface OpenedRecord {
  readonly record: FileInfo
  /** As it was sealed. */
  readonly encoded: Uint8Array
  /** It has fields that no record has. */
  readonly isStrange: boolean
}

/** The sealed record counts; only its place in the index is that of the device which stores it. */
export function decryptRecord(cipher: FolderCipher, outer: FileInfo): FileInfo | undefined {
  return openSealed(cipher, outer)?.record
}

function openSealed(cipher: FolderCipher, outer: FileInfo): OpenedRecord | undefined {
  const opened = openRecord(cipher, outer)
  const inner = opened === undefined ? undefined : decodeRecord(opened.encoded)
  // A record is sealed with the key of its name: another name inside was put there by one who has the password.
  if (opened === undefined || inner === undefined || inner.name !== opened.name || inner.encrypted !== undefined)
    return undefined
  const isStrange = !isPlainlyRecord(opened.encoded)
  const localFlags = isStrange || isInvalid(outer) ? FLAG_REMOTE_INVALID : inner.localFlags
  return { record: { ...inner, sequence: outer.sequence, localFlags }, encoded: opened.encoded, isStrange }
}

/** Whether the plain bytes of a record are a block of what any device announces, or announced last, under this name. */
export async function isKnownBlock(
  index: Pick<FolderIndex, 'records' | 'exchange'>,
  name: string,
  plain: Uint8Array,
): Promise<boolean> {
  if (plain.length < PADDED_BYTES_MIN) return false // nearly all records
  for (const owner of ['local', ...(await index.exchange.remoteSequences()).keys()] as const) {
    const head = await index.records.head(owner, name)
    if (head === undefined || !mayBeBlock(plain.length, head)) continue
    const record = await index.records.get(owner, name)
    if (record !== undefined && isBlockOf(plain, record)) return true
  }
  return false
}

async function inSteps<T>(
  clock: Clock,
  files: readonly FileInfo[],
  make: (file: FileInfo) => T,
): Promise<readonly T[]> {
  const made: T[] = []
  for (const file of files) {
    if (made.length > 0 && made.length % RECORDS_PER_STEP === 0) await clock.sleep(0, NEVER)
    made.push(make(file))
  }
  return made
}
