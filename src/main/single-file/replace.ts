import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, copyFile, link, lstat, mkdtemp, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { messageOf, systemCode, TwinfoldError } from '../../core/errors.ts'
import { PRIVATE_VARIABLES, type Programs } from '../../platform/programs.ts'
import { extractZipEntry } from './zip-entry.ts'

export interface Replacement {
  /** The executable to replace. */
  readonly executable: string
  /** An archive of a release, with SHA256SUMS beside it. */
  readonly archive: string
  /** The platform that the name of the archive must have. */
  readonly target: string
}

const CHECKSUMS = 'SHA256SUMS'
const CHECKSUMS_BYTES_MAX = 1_024 * 1_024
const UNPACK_MS_MAX = 300_000
const START_MS_MAX = 60_000

/** Replaces the executable in one step, and keeps the old one beside it. Nothing is changed if any check fails. */
export async function replaceExecutable(
  { executable, archive, target }: Replacement,
  programs: Programs,
  signal: AbortSignal,
): Promise<{ readonly version: string; readonly kept: string }> {
  const expected = await expectedChecksum(archive)
  if (!basename(archive).includes(`-${target}.`))
    throw failed(`${archive} is for another platform; this executable needs the one for ${target}`)
  const scratch = await scratchBeside(executable)
  try {
    const copy = join(scratch, basename(archive))
    await copyFile(archive, copy) // what is checked is what is unpacked, whatever happens to the original
    if ((await checksumOf(copy)) !== expected)
      throw failed(`${archive} does not have the checksum that ${CHECKSUMS} states; download both again`)
    const next = await (target.startsWith('win-')
      ? unpackZip(scratch, copy)
      : unpackTar(scratch, copy, programs, signal))
    await chmod(next, (await stat(executable)).mode & 0o777)
    const output = await runToEnd(programs, { program: next, args: ['--version'], timeLimitMs: START_MS_MAX }, signal)
    const [, version] = /^\S+ (v\S+)/.exec(output) ?? []
    if (version === undefined) throw failed(`${archive}: its program printed no version`)
    await syncFile(next)
    return { version, kept: await exchange(executable, next) }
  } finally {
    await rm(scratch, { recursive: true, force: true }).catch(() => {})
  }
}

async function expectedChecksum(archive: string): Promise<string> {
  const list = join(dirname(archive), CHECKSUMS)
  const text = await stat(list)
    .then(({ size }) => (size > CHECKSUMS_BYTES_MAX ? '' : readFile(list, 'utf8')))
    .catch((error: unknown) => {
      throw failed(`${messageOf(error)}; download ${CHECKSUMS} of the release into the directory of the archive`, error)
    })
  for (const line of text.split('\n')) {
    const [, checksum, name] = /^([0-9a-f]{64}) [ *](.+?)\r?$/.exec(line) ?? []
    if (checksum !== undefined && name === basename(archive)) return checksum
  }
  throw failed(`${list} has no checksum of ${basename(archive)}; download both from the same release`)
}

/** In the same file system, so that a rename suffices. */
async function scratchBeside(executable: string): Promise<string> {
  return mkdtemp(join(dirname(executable), '.twinfold-upgrade-')).catch((error: unknown) => {
    throw failed(`${messageOf(error)}; run this as a user who may write there, for example with sudo`, error)
  })
}

async function checksumOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const part of createReadStream(file)) hash.update(part as Buffer)
  return hash.digest('hex')
}

async function runToEnd(
  programs: Programs,
  run: { readonly program: string; readonly args: readonly string[]; readonly timeLimitMs: number },
  signal: AbortSignal,
): Promise<string> {
  const end = await programs.run({ ...run, environment: { LC_ALL: 'C' }, hidden: PRIVATE_VARIABLES }, signal)
  if (end.kind === 'exited' && end.code === 0) return end.output
  const why = end.kind === 'exited' ? `exit code ${end.code}` : end.reason
  throw failed(`${run.program} failed (${why}): ${'output' in end ? end.output.trim() : ''}; nothing was changed`)
}

/** Programs are in a directory that has the name of the archive, as `npm run release` packs it. */
async function unpackZip(scratch: string, archive: string): Promise<string> {
  const path = join(scratch, 'twinfold.exe')
  await extractZipEntry(archive, `${basename(archive, '.zip')}/twinfold.exe`, path)
  return path
}

async function unpackTar(scratch: string, archive: string, programs: Programs, signal: AbortSignal): Promise<string> {
  const args = ['-x', '-f', archive, '-C', scratch]
  await runToEnd(programs, { program: 'tar', args, timeLimitMs: UNPACK_MS_MAX }, signal)
  const path = join(scratch, basename(archive, '.tar.xz'), 'twinfold')
  const found = await lstat(path).catch(() => undefined)
  if (found?.isFile()) return path
  throw failed(`${basename(archive)} has no program at ${path.slice(scratch.length + 1)}; nothing was changed`)
}

async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r+')
  await file.sync()
}

/** The name of the executable exists at every moment, but for an instant on Windows. */
async function exchange(executable: string, next: string): Promise<string> {
  const kept = `${executable.replace(/\.exe$/, '')}.old${executable.endsWith('.exe') ? '.exe' : ''}`
  try {
    await removeOld(kept)
    if (process.platform === 'win32') {
      await rename(executable, kept) // a running program can be renamed there, and not replaced
      await rename(next, executable).catch(async (error: unknown) => {
        await rename(kept, executable)
        throw error
      })
    } else {
      await link(executable, kept).catch((error: unknown) => {
        if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP'].includes(systemCode(error) ?? '')) throw error
        return copyFile(executable, kept) // a file system without hard links
      })
      await rename(next, executable)
    }
    return kept
  } catch (error) {
    throw failed(`${executable} could not be replaced: ${messageOf(error)}; it is as it was`, error)
  }
}

async function removeOld(kept: string): Promise<void> {
  await rm(kept, { force: true }).catch((error: unknown) => {
    const isRunning = process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(systemCode(error) ?? '')
    throw isRunning ? failed(`${kept} of the upgrade before is running; restart Twinfold first`, error) : error
  })
}

function failed(text: string, cause?: unknown): TwinfoldError {
  return new TwinfoldError('upgrade-failed', text, { cause })
}
