import { join } from 'node:path'
import {
  parseTokenFile,
  TOKEN_FILE_BYTES_MAX,
  TOKEN_FILE_NAME,
  TOKEN_TEMPORARY_NAME,
  tokenFileText,
} from '../../core/encryption/token-file.ts'
import { isMissing, messageOf, TwinfoldError } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import type { Disk } from '../../platform/disk.ts'
import { fillBuffer } from '../../platform/fill-buffer.ts'
import { writeFileAtomically } from '../../platform/files/atomic-write.ts'

const MODE = 0o644

interface TokenPlace {
  readonly root: string
  readonly markerName: string
  readonly folder: FolderId
}

/**
 * Undefined where there is none. One that is unreadable rejects with `token-unusable`: without it any password would be
 * accepted.
 */
export async function readToken(disk: Disk, { root, markerName, folder }: TokenPlace): Promise<Uint8Array | undefined> {
  const path = join(root, markerName, TOKEN_FILE_NAME)
  const text = await readText(disk, path).catch((error: unknown) => {
    throw unusable(`the encryption token ${path} cannot be read (${messageOf(error)})`, error)
  })
  if (text === undefined) return undefined
  const found = parseTokenFile(text)
  if (found === undefined) throw unusable(`the encryption token ${path} is damaged`)
  if (found.folder !== folder) throw unusable(`the encryption token ${path} is of another folder`)
  return found.token
}

/** Rejects with `token-unusable` where the token is unreadable, or missing and could not be stored. */
export async function checkToken(disk: Disk, place: TokenPlace): Promise<void> {
  if ((await readToken(disk, place)) !== undefined) return
  const path = join(place.root, place.markerName, TOKEN_TEMPORARY_NAME)
  try {
    await disk.removeFile(path).catch(() => {}) // of an interrupted check
    await (await disk.open(path, 'create', MODE)).close()
    await disk.removeFile(path)
  } catch (error) {
    throw unwritable(path, error)
  }
}

/** Rejects with `token-unusable`. */
export async function writeToken(
  disk: Disk,
  { root, markerName, folder }: TokenPlace,
  token: Uint8Array,
): Promise<void> {
  const path = join(root, markerName, TOKEN_FILE_NAME)
  const bytes = Buffer.from(tokenFileText(folder, token))
  try {
    await writeFileAtomically(disk, path, bytes, MODE, TOKEN_TEMPORARY_NAME)
  } catch (error) {
    throw unwritable(path, error)
  }
}

function unwritable(path: string, cause: unknown): TwinfoldError {
  return new TwinfoldError('token-unusable', `the encryption token ${path} cannot be written: ${messageOf(cause)}`, {
    cause,
  })
}

function unusable(reason: string, cause?: unknown): TwinfoldError {
  const remedy = 'restore it from a copy, or remove it: the next device that connects with the password brings it again'
  return new TwinfoldError('token-unusable', `${reason}; ${remedy}`, { cause })
}

async function readText(disk: Disk, path: string): Promise<string | undefined> {
  try {
    await using file = await disk.open(path, 'read')
    const bytes = Buffer.alloc(TOKEN_FILE_BYTES_MAX)
    return bytes.toString('utf8', 0, await fillBuffer(file, bytes))
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}
