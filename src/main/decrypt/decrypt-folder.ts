import type { FolderCipher } from '../../core/encryption/folder-cipher.ts'
import { isEncryptedParent, isEncryptedPath } from '../../core/encryption/names.ts'
import { isTokenFile } from '../../core/encryption/token-file.ts'
import { isMissing, systemCode } from '../../core/errors.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import {
  baseOf,
  isCanonical,
  isInternal,
  isRemovedMarker,
  isTemporary,
  joinPath,
  temporaryName,
} from '../../core/paths.ts'
import type { Disk } from '../../platform/disk.ts'
import { diskReason } from '../../platform/files/disk-reason.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import { Parents } from '../../platform/files/parents.ts'
import { StoredFile } from './stored-file.ts'

export interface DecryptDeps {
  readonly disk: Disk
  /** The system, in Node's names. */
  readonly platform: string
  /** After every file, and after parts of large ones. */
  onProgress(doneBytes: number, totalBytes: number): void
  onFile(name: string, outcome: 'restored' | 'present' | 'verified'): void
  /** One file could not be restored; the others are. */
  onProblem(path: string, reason: string): void
}

export interface DecryptOptions {
  readonly cipher: FolderCipher
  /** The root of the encrypted folder, or any directory of it. Absolute. */
  readonly from: string
  /** Where plain files are written; undefined: they are only verified. Absolute. */
  readonly to: string | undefined
}

export interface DecryptResult {
  readonly files: number
  readonly present: number
  readonly problems: number
  /** Directories and symlinks, of which only the encrypted name is stored. */
  readonly others: number
}

interface Found {
  readonly files: { readonly path: string; readonly sizeBytes: number }[]
  others: number
  problems: number
}

/**
 * Restores or verifies all files below a directory. Nothing is overwritten: a file that is there already, with the size
 * and time of the record, counts as restored, so that an interrupted run is continued by another one.
 */
export async function decryptFolder(deps: DecryptDeps, options: DecryptOptions): Promise<DecryptResult> {
  const found: Found = { files: [], others: 0, problems: 0 }
  await collect(deps, options.from, '', found)
  if (options.to !== undefined) await deps.disk.makeDirectories(options.to, 0o777)
  const totalBytes = found.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const parents = options.to === undefined ? undefined : parentsOf(deps.disk, options.to)
  const result = { files: 0, present: 0, problems: found.problems, others: found.others }
  let doneBytes = 0
  for (const { path, sizeBytes } of found.files) {
    try {
      const onBytes = (bytes: number) => deps.onProgress(doneBytes + Math.min(bytes, sizeBytes), totalBytes)
      const outcome = await decryptOne(deps, options, parents, path, onBytes)
      result.files++
      if (outcome === 'present') result.present++
    } catch (error) {
      result.problems++
      deps.onProblem(path, diskReason(error))
    }
    doneBytes += sizeBytes
    deps.onProgress(doneBytes, totalBytes)
  }
  return result
}

function parentsOf(disk: Disk, root: string): Parents {
  return new Parents({ disk, root, onMade: () => {} })
}

/** Finds the encrypted files; what was put there by others is reported. */
async function collect(deps: DecryptDeps, root: string, directory: string, found: Found): Promise<void> {
  const { disk } = deps
  const names = (await disk.list(joinPath(root, directory))).map(({ name }) => name)
  for (const name of names.sort()) {
    const path = directory === '' ? name : `${directory}/${name}`
    if (isOwn(path)) continue
    const { type, sizeBytes } = await disk.lstat(joinPath(root, path))
    // Below the root a directory may be any part of an encrypted path, as any part of the folder may be given.
    if (type === 'file') found.files.push({ path, sizeBytes })
    else if (type !== 'directory') {
      found.problems++
      deps.onProblem(path, 'it is neither a file nor a directory')
    } else if (isEncryptedPath(path) && !isEncryptedParent(path)) found.others++
    else await collect(deps, root, path, found)
  }
}

/** Whether a path is of the folder itself, not of its content: markers, also removed ones, old versions, tokens. */
function isOwn(path: string): boolean {
  return isInternal(path) || isTemporary(path) || isRemovedMarker(path) || isTokenFile(baseOf(path))
}

async function decryptOne(
  deps: DecryptDeps,
  { cipher, from, to }: DecryptOptions,
  parents: Parents | undefined,
  path: string,
  onBytes: (bytes: number) => void,
): Promise<'restored' | 'present' | 'verified'> {
  await using file = await deps.disk.open(joinPath(from, path), 'read')
  const stored = await StoredFile.open(file, cipher)
  const { name } = stored.plain
  if (!isCanonical(name) || isInternal(name)) throw itemFailed(`${JSON.stringify(name)} is no name of a file here`)
  let outcome: 'restored' | 'present' | 'verified' = 'verified'
  if (to === undefined || parents === undefined) {
    for await (const { offsetBytes, data } of stored.blocks()) onBytes(offsetBytes + data.length)
  } else outcome = await restore(deps, parents, to, stored, onBytes)
  deps.onFile(name, outcome)
  return outcome
}

async function restore(
  { disk, platform }: DecryptDeps,
  parents: Parents,
  to: string,
  stored: StoredFile,
  onBytes: (bytes: number) => void,
): Promise<'restored' | 'present'> {
  const { plain } = stored
  const path = joinPath(to, plain.name)
  await parents.ensure(plain.name)
  if (await isPresent(disk, path, plain)) return 'present'
  const temporary = joinPath(to, temporaryName(plain.name, platform))
  await disk.removeFile(temporary).catch(() => {}) // of an interrupted run
  const file = await disk.open(temporary, 'create', 0o600)
  try {
    for await (const { offsetBytes, data } of stored.blocks()) {
      await file.write(data, offsetBytes)
      onBytes(offsetBytes + data.length)
    }
    if (!plain.noPermissions) await file.chmod(plain.permissions & 0o777)
    await file.sync()
    await file.close()
    await disk.setModified(temporary, plain.modifiedS, plain.modifiedNs)
    await disk.renameNew(temporary, path)
    return 'restored'
  } catch (error) {
    await file.close().catch(() => {})
    await disk.removeFile(temporary).catch(() => {}) // the first error is reported
    throw systemCode(error) === 'EEXIST' ? itemFailed(EXISTS) : error
  }
}

const EXISTS = 'another item is in its place, and is not overwritten'

/** Rejects where another item is in the place of the file. */
async function isPresent(disk: Disk, path: string, plain: FileInfo): Promise<boolean> {
  try {
    const { type, sizeBytes, modifiedS } = await disk.lstat(path)
    // The nanoseconds may be rounded by the disk.
    if (type === 'file' && sizeBytes === plain.sizeBytes && modifiedS === plain.modifiedS) return true
    throw itemFailed(EXISTS)
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}
