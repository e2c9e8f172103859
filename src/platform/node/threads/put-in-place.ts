import { linkSync, lstatSync, renameSync, unlinkSync } from 'node:fs'
import { systemCode } from '../../../core/errors.ts'
import { DiskError } from '../../disk-error.ts'
import type { FileOrder, MadeFile, ReplacedFile } from '../../file-maker.ts'
import { exactStat } from '../disk/disk-stat.ts'
import { NO_LINK } from '../disk/rename-new.ts'
import { posix, type Posix } from '../native/posix.ts'

export type PutOutcome = Pick<MadeFile, 'hasDisplaced'>

const NONE: PutOutcome = {}
const DISPLACED: PutOutcome = { hasDisplaced: true }

type Places = Pick<FileOrder, 'temporaryPath' | 'path' | 'replaces'>

/** Renames the complete temporary file to its name, or exchanges it with the file that it replaces. */
export function putInPlace({ temporaryPath, path, replaces }: Places): PutOutcome {
  if (replaces === undefined) {
    putWhereNothingIs(temporaryPath, path)
    return NONE
  }
  if (!isSame(path, replaces)) throw taken(path)
  const native = posix()
  if (native === undefined) renameSync(temporaryPath, path)
  return native === undefined ? NONE : exchange(native, { temporaryPath, path, replaces })
}

function exchange(
  native: Posix,
  { temporaryPath, path, replaces }: Places & { readonly replaces: ReplacedFile },
): PutOutcome {
  const { asidePath } = replaces
  renameSync(temporaryPath, asidePath)
  try {
    if (native.exchangeSync(asidePath, path)) return removeDisplaced(temporaryPath, replaces)
    renameSync(asidePath, path)
    return NONE
  } catch (error) {
    putBack(asidePath, temporaryPath)
    throw error
  }
}

function putBack(asidePath: string, temporaryPath: string): void {
  try {
    renameSync(asidePath, temporaryPath)
  } catch {
    // An earlier error is reported.
  }
}

/** Must not throw: the new file is in place. An item that cannot be read counts as changed. */
function removeDisplaced(temporaryPath: string, replaces: ReplacedFile): PutOutcome {
  try {
    if (!isSame(replaces.asidePath, replaces)) return DISPLACED
  } catch {
    return DISPLACED
  }
  try {
    unlinkSync(replaces.asidePath)
  } catch {
    putBack(replaces.asidePath, temporaryPath) // as a temporary file it is removed later
  }
  return NONE
}

/**
 * Without a native call: a hard link never replaces an item, and a rename would replace one created a moment ago.
 */
function putWhereNothingIs(temporaryPath: string, path: string): void {
  if (posix()?.renameNewSync(temporaryPath, path) === true) return
  try {
    linkSync(temporaryPath, path)
  } catch (error) {
    if (!NO_LINK.has(systemCode(error))) throw error
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw taken(path)
    return renameSync(temporaryPath, path)
  }
  unlinkSync(temporaryPath)
}

function isSame(path: string, replaces: ReplacedFile): boolean {
  const { type, sizeBytes, modifiedS, modifiedNs, mode } = exactStat(lstatSync(path, { bigint: true }))
  return (
    type === 'file' &&
    sizeBytes === replaces.sizeBytes &&
    modifiedS === replaces.modifiedS &&
    modifiedNs === replaces.modifiedNs &&
    mode === replaces.mode
  )
}

function taken(path: string): DiskError {
  return new DiskError('EEXIST', 'what is there is not what was expected', 'rename', path)
}
