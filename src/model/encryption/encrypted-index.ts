import { encryptRecord, openRecord } from '../../core/encryption/encrypted-record.ts'
import type { FolderCipher } from '../../core/encryption/folder-cipher.ts'
import { isEncryptedPath } from '../../core/encryption/names.ts'
import { NONCE_BYTES } from '../../core/encryption/xchacha.ts'
import { FLAG_RECEIVE_ONLY, FLAG_REMOTE_INVALID, isInvalid, type FileInfo } from '../../core/records/file-info.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import { decodeRecord, encodeRecord } from '../../protocol/record-bytes.ts'
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

/** The plain records of an untrusted device; undefined when one of them was not made with this password. */
export async function decryptIndex(
  deps: Pick<EncryptedIndexDeps, 'clock'>,
  cipher: FolderCipher,
  data: IndexData,
): Promise<IndexData | undefined> {
  const files = await inSteps(deps.clock, data.files, (file) => decryptRecord(cipher, file))
  return files.every((file) => file !== undefined) ? { ...data, files } : undefined
}

/** Whether a record belongs into a folder that is stored encrypted. */
export function isEncryptedRecord({ name, encrypted }: FileInfo): boolean {
  return encrypted !== undefined && isEncryptedPath(name)
}

/** An encrypted record in a plain folder is unusable: nobody here has its password. */
export function withoutEncrypted(data: IndexData): IndexData {
  if (data.files.every(({ encrypted }) => encrypted === undefined)) return data
  const usable = (file: FileInfo): FileInfo =>
    file.encrypted === undefined ? file : { ...file, localFlags: file.localFlags | FLAG_REMOTE_INVALID }
  return { ...data, files: data.files.map(usable) }
}

/** The sealed record counts; only its place in the index is that of the device which stores it. */
export function decryptRecord(cipher: FolderCipher, outer: FileInfo): FileInfo | undefined {
  const opened = openRecord(cipher, outer)
  const inner = opened === undefined ? undefined : decodeRecord(opened.encoded)
  // A record is sealed with the key of its name: another name inside was put there by one who has the password.
  if (inner === undefined || inner.name !== opened?.name || inner.encrypted !== undefined) return undefined
  const localFlags = isInvalid(outer) ? FLAG_REMOTE_INVALID : inner.localFlags
  return { ...inner, sequence: outer.sequence, localFlags }
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
