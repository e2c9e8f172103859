import { hash } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { messageOf, systemCode, TwinfoldError } from '../../core/errors.ts'

/** The list of files in the executable. Paths have slashes. */
export interface PackedProgram {
  readonly files: readonly { readonly path: string; readonly sizeBytes: number; readonly sha256: string }[]
}

export interface Unpacking {
  /** Only this user can write to it. */
  readonly directory: string
  /** The list as the executable has it, a JSON text of `PackedProgram`. */
  readonly list: string
  readFile(path: string): Uint8Array
}

/** As npm sets it for every file of a package: the same version has the same times everywhere. */
const PACKED_TIME_S = 499_162_500
const WRITABLE_BY_OTHERS = 0o022
/** Another process may unpack the same version at the same time. */
const ATTEMPTS_MAX = 5
const NO_LINK = constants.O_NOFOLLOW ?? 0

/** The directory of this program's files, named by their hashes. Unpacks them if they are missing or not the same. */
export function unpackProgram({ directory, list, readFile }: Unpacking): string {
  const program = JSON.parse(list) as PackedProgram
  const target = join(directory, versionName(list))
  let failure: unknown
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    if (isIntact(target, program)) return target
    try {
      failure = undefined
      replaceBy(target, writeFiles(directory, program, readFile), program)
    } catch (error) {
      failure = error
      if (!isTakenMeanwhile(error)) break
    }
  }
  throw unpackError(target, failure)
}

function unpackError(target: string, failure: unknown): TwinfoldError {
  if (failure !== undefined) {
    return new TwinfoldError(
      'refused',
      `the program cannot be unpacked into ${target}: ${messageOf(failure)}; make room or make it writable, ` +
        'or name another directory with TWINFOLD_CACHE_DIR',
      { cause: failure },
    )
  }
  return new TwinfoldError(
    'refused',
    `${target} does not hold what was unpacked there, or another process changes it; remove it, ` +
      'or name another directory with TWINFOLD_CACHE_DIR',
  )
}

/** A hash over the hashes of all files. */
function versionName(list: string): string {
  return hash('sha256', list).slice(0, 32)
}

/** Where Node keeps what it compiled of these files: beside them, because nothing else may be among them. */
export function compiledDirectory(target: string): string {
  return `${target}-compiled`
}

/** Whether exactly the listed files are there, of this user, with the listed contents. */
function isIntact(target: string, { files }: PackedProgram): boolean {
  try {
    const stat = lstatSync(target)
    if (!stat.isDirectory() || !isOwn(stat)) return false
    const expected = new Map(files.map((file) => [file.path, file]))
    const entries = readdirSync(target, { recursive: true, withFileTypes: true })
    for (const entry of entries) {
      if (entry.isDirectory()) continue
      const path = join(entry.parentPath, entry.name)
      const file = expected.get(path.slice(target.length + 1).replaceAll(sep, '/'))
      if (file === undefined || !entry.isFile() || !isContent(path, file)) return false
      expected.delete(file.path)
    }
    return expected.size === 0
  } catch {
    return false // unreadable counts as missing: writing the files anew shows why
  }
}

function isContent(path: string, file: PackedProgram['files'][number]): boolean {
  const descriptor = openSync(path, constants.O_RDONLY | NO_LINK)
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile() || !isOwn(stat) || stat.size !== file.sizeBytes) return false
    return hash('sha256', readFileSync(descriptor)) === file.sha256
  } finally {
    closeSync(descriptor)
  }
}

function isOwn({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  return process.getuid === undefined || (uid === process.getuid() && (mode & WRITABLE_BY_OTHERS) === 0)
}

/** Writes all files into a new directory beside the target, which nothing executes before it has its name. */
function writeFiles(directory: string, { files }: PackedProgram, readFile: Unpacking['readFile']): string {
  const temporary = mkdtempSync(join(directory, 'new-'))
  try {
    for (const { path } of files) {
      const file = join(temporary, path)
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      writeFileSync(file, readFile(path), { flag: 'wx', mode: 0o600 })
      utimesSync(file, PACKED_TIME_S, PACKED_TIME_S)
    }
    return temporary
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    throw error
  }
}

function replaceBy(target: string, temporary: string, program: PackedProgram): void {
  const damaged = `${temporary}-replaced`
  try {
    if (isIntact(target, program)) return // another process was faster, and runs from it
    if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) renameSync(target, damaged)
    renameSync(temporary, target)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
    rmSync(damaged, { recursive: true, force: true })
  }
}

/** Another process was faster: its directory has the name, or the damaged one is gone. Windows has other codes. */
function isTakenMeanwhile(error: unknown): boolean {
  const codes = ['ENOTEMPTY', 'EEXIST', 'ENOENT', ...(process.platform === 'win32' ? ['EPERM', 'EACCES', 'EBUSY'] : [])]
  return codes.includes(systemCode(error) ?? '')
}
