import { link, lstat, mkdir, open, rename, unlink, utimes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { systemCode, TwinfoldError } from '../core/errors.ts'

/** A file to be saved. */
export interface SavedFile {
  readonly path: string
  readonly body: AsyncIterable<Uint8Array>
  readonly modifiedMs: number
  /** An existing file is replaced. */
  readonly replace: boolean
  /** A part of the name of the temporary file. */
  readonly id: string
  onBytes(count: number): void
}

/** Disks without hard links. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** Saves a file: under a temporary name until it is complete, and never over another one unless that is permitted. */
export async function saveFile({ path, body, modifiedMs, replace, id, onBytes }: SavedFile): Promise<void> {
  if (!replace) await checkFree(path)
  const temporary = join(dirname(path), `.${basename(path).slice(0, 100)}.${id}.part`)
  const file = await open(temporary, 'wx', 0o666)
  try {
    try {
      for await (const piece of body) {
        await file.writeFile(piece) // continues at the position of the last one
        onBytes(piece.length)
      }
    } finally {
      await file.close()
    }
    if (modifiedMs > 0) await utimes(temporary, new Date(), new Date(modifiedMs))
    if (replace) await rename(temporary, path)
    else await giveName(temporary, path)
  } catch (error) {
    await unlink(temporary).catch(() => {}) // the first error is the one to report
    throw error
  }
}

/** Rejects if anything has this name. */
async function checkFree(path: string): Promise<void> {
  if (await exists(path)) throw taken(path)
}

export async function exists(path: string): Promise<boolean> {
  return (await typeAt(path)) !== undefined
}

/** What has this name; a symlink is not followed. Undefined: nothing. */
export async function typeAt(path: string): Promise<'directory' | 'other' | undefined> {
  try {
    return (await lstat(path)).isDirectory() ? 'directory' : 'other'
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined
    throw error
  }
}

/** A directory that is not a symlink: one could lead out of the target. */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
    if ((await typeAt(path)) !== 'directory') throw taken(path)
  }
}

/** A link fails where a rename would replace. */
async function giveName(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path)
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw taken(path)
    if (!NO_LINKS.has(systemCode(error))) throw error
    await checkFree(path)
    return await rename(temporary, path)
  }
  await unlink(temporary)
}

function taken(path: string): TwinfoldError {
  return new TwinfoldError(
    'refused',
    `${path} exists already; choose another place with --to, or replace it with --force`,
  )
}
