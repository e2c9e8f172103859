import { join } from 'node:path'
import {
  parseTokenFile,
  TOKEN_FILE_BYTES_MAX,
  TOKEN_FILE_NAME,
  TOKEN_TEMPORARY_NAME,
  tokenFileText,
} from '../../core/encryption/token-file.ts'
import { systemCode, TwinfoldError } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import type { Disk } from '../../platform/disk.ts'
import { writeFileAtomically } from '../../platform/files/atomic-write.ts'

const MODE = 0o644

interface TokenPlace {
  readonly root: string
  readonly markerName: string
  readonly folder: FolderId
}

/** Undefined where there is none. An unreadable one rejects: without it any password would be accepted. */
export async function readToken(disk: Disk, { root, markerName, folder }: TokenPlace): Promise<Uint8Array | undefined> {
  const text = await readText(disk, join(root, markerName, TOKEN_FILE_NAME))
  if (text === undefined) return undefined
  const found = parseTokenFile(text)
  if (found === undefined || found.folder !== folder) {
    throw new TwinfoldError('folder-error', `folder ${folder}: ${TOKEN_FILE_NAME} is damaged or of another folder`)
  }
  return found.token
}

export async function writeToken(
  disk: Disk,
  { root, markerName, folder }: TokenPlace,
  token: Uint8Array,
): Promise<void> {
  const path = join(root, markerName, TOKEN_FILE_NAME)
  await writeFileAtomically(disk, path, Buffer.from(tokenFileText(folder, token)), MODE, TOKEN_TEMPORARY_NAME)
}

async function readText(disk: Disk, path: string): Promise<string | undefined> {
  try {
    await using file = await disk.open(path, 'read')
    const bytes = Buffer.alloc(TOKEN_FILE_BYTES_MAX)
    let length = 0
    for (let count = -1; count !== 0 && length < bytes.length; length += count) {
      count = await file.read(bytes.subarray(length), length)
    }
    return bytes.toString('utf8', 0, length)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}
