import { basename, join, resolve } from 'node:path'
import type { Client } from '../client/client.ts'
import type { WhyJson } from '../rest/twinfold.ts'
import { ClientError } from '../client/errors.ts'
import { messageOf, TwinfoldError } from '../core/errors.ts'
import { isCanonical } from '../core/paths.ts'
import { CLI_EXIT, findFolder, type CliContext, type CliExit } from './context.ts'
import { progressLine } from './progress.ts'
import { insideFolder } from './scan-command.ts'
import { exists, makeDirectory, saveFile, typeAt } from './save-file.ts'
import { escapeText, formatBytes, formatCount } from './text.ts'

const PER_PAGE = 500
const REDRAW_MS = 200
const TAKEN_NAMED_MAX = 3
/** What a name may not contain on Windows, where these would lead elsewhere. */
const WINDOWS_FORBIDDEN = /[\\:*?"<>|]|[. ]$/

/** Bytes of a file, `toBytes` not included. */
export interface ByteRange {
  readonly fromBytes: number
  readonly toBytes?: number
}

/** `A-B` with both ends included, `A-` up to the end. */
export function parseByteRange(text: string): ByteRange | undefined {
  const [, first = '', last = ''] = /^(\d{1,15})-(\d{0,15})$/.exec(text) ?? []
  if (first === '') return undefined
  const fromBytes = Number(first)
  if (last === '') return { fromBytes }
  return Number(last) < fromBytes ? undefined : { fromBytes, toBytes: Number(last) + 1 }
}

/** Prints the newest version of a file, also of one that is not on that device. */
export async function cat(
  context: CliContext,
  client: Client,
  text: string,
  file: string,
  range: ByteRange | undefined,
): Promise<CliExit> {
  const folder = await findFolder(client, text)
  const { body } = await client.content(folder.id, pathIn(folder, file), { ...range, signal: context.signal })
  await handled(async () => {
    for await (const piece of body) await context.printBytes(piece)
  })
  return CLI_EXIT.done
}

type FileEntry = NonNullable<WhyJson['global']>

/** A file to be saved, by its path in the folder and below the target. */
interface WantedFile {
  readonly name: string
  readonly path: string
  readonly sizeBytes: number
}

interface Wanted {
  readonly directories: readonly string[]
  readonly files: readonly WantedFile[]
  /** Symlinks, and names that must not be used here. */
  readonly skipped: readonly string[]
}

export interface GetOptions {
  readonly to?: string
  readonly force: boolean
  readonly json: boolean
}

/** Saves a file, or all files of a directory, outside of the folder. Nothing is kept in the folder. */
export async function get(
  context: CliContext,
  client: Client,
  text: string,
  given: string,
  options: GetOptions,
): Promise<CliExit> {
  const folder = await findFolder(client, text)
  const { id } = folder
  const name = pathIn(folder, given)
  const target = await targetOf(context, name === '' ? id : name, options.to)
  const { size, type } = await itemOf(client, id, name)
  const isDirectory = type === 'FILE_INFO_TYPE_DIRECTORY'
  const wanted: Wanted = isDirectory
    ? await walk(client, id, name, target)
    : { directories: [], files: [{ name, path: target, sizeBytes: size }], skipped: [] }
  if (!options.force) await refuseTaken(wanted.files)
  for (const directory of wanted.directories) await makeDirectory(directory)
  const bytes = await saveAll(context, client, { folder: id, files: wanted.files, replace: options.force })
  const { files, skipped } = wanted
  if (options.json)
    context.print(JSON.stringify({ folder: id, file: name, to: target, files: files.length, bytes, skipped }))
  else {
    const what = isDirectory ? `${formatCount(files.length, 'file')}, ` : ''
    context.print(`Saved ${escapeText(target)} (${what}${formatBytes(bytes)}).`)
    for (const each of skipped)
      context.printError(`Skipped ${escapeText(each)}: not a file, or a name that cannot be used here.`)
  }
  return skipped.length > 0 ? CLI_EXIT.doneWithProblems : CLI_EXIT.done
}

/** Into an existing directory, or under the given name. */
async function targetOf({ absolutePath }: CliContext, name: string, to: string | undefined): Promise<string> {
  const base = basename(name)
  if (!isUsableName(base)) throw new TwinfoldError('refused', `"${base}" cannot be a name here; choose one with --to`)
  if (to === undefined) return absolutePath(base)
  const path = absolutePath(to)
  return (await typeAt(path)) === 'directory' ? join(path, base) : path
}

async function itemOf(client: Client, folder: string, file: string): Promise<Pick<FileEntry, 'size' | 'type'>> {
  if (file === '') return { size: 0, type: 'FILE_INFO_TYPE_DIRECTORY' }
  const { global } = await client.call('GET /rest/twinfold/why', { query: { folder, file } })
  if (global !== null && !global.deleted) return global
  throw new TwinfoldError('file-missing', `no device has "${file}" in this folder`)
}

/** All files below a directory. Names are those of other devices. */
async function walk(client: Client, folder: string, top: string, target: string): Promise<Wanted> {
  const found = { directories: [target], files: [] as WantedFile[], skipped: [] as string[] }
  const open = [{ prefix: top, path: target }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { prefix, path } = next
    for (let page = 1, seen = 0, total = 1; seen < total; page++) {
      const query = { folder, prefix, page, perpage: PER_PAGE }
      const reply = await client.call('GET /rest/twinfold/tree', { query })
      if (reply.truncated) throw new TwinfoldError('refused', `"${prefix}" has too many names to be listed`)
      total = reply.entries.length === 0 ? 0 : reply.total
      seen += reply.entries.length
      for (const { name, type, sizeBytes, deleted } of reply.entries) {
        const inFolder = prefix === '' ? name : `${prefix}/${name}`
        if (deleted) continue
        if (type === 'symlink' || !isUsableName(name)) found.skipped.push(inFolder)
        else if (type === 'file') found.files.push({ name: inFolder, path: join(path, name), sizeBytes })
        else {
          found.directories.push(join(path, name))
          open.push({ prefix: inFolder, path: join(path, name) })
        }
      }
    }
  }
  return found
}

/** Whether a name of another device is one name here, which leads nowhere else. */
export function isUsableName(name: string, platform: string = process.platform): boolean {
  if (!isCanonical(name) || name.includes('/')) return false
  return platform !== 'win32' || !WINDOWS_FORBIDDEN.test(name)
}

/** Before anything is saved, so that a command that is repeated with --force has nothing to continue. */
async function refuseTaken(files: readonly WantedFile[]): Promise<void> {
  const taken: string[] = []
  for (const { path } of files) if (await exists(path)) taken.push(path)
  if (taken.length === 0) return
  const named = taken.slice(0, TAKEN_NAMED_MAX).join(', ') + (taken.length > TAKEN_NAMED_MAX ? ', …' : '')
  const reason = `${formatCount(taken.length, 'file exists', 'files exist')} already (${named}), and nothing was saved`
  throw new TwinfoldError('refused', `${reason}; choose another place with --to, or replace with --force`)
}

interface Saving {
  readonly folder: string
  readonly files: readonly WantedFile[]
  readonly replace: boolean
}

/** Returns the number of bytes. */
async function saveAll(context: CliContext, client: Client, { folder, files, replace }: Saving): Promise<number> {
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const startedMs = context.nowMs()
  let [currentBytes, drawnMs] = [0, 0]
  for (const { name, path } of files) {
    const onBytes = (count: number) => {
      currentBytes += count
      const nowMs = context.nowMs()
      if (nowMs - drawnMs < REDRAW_MS) return
      drawnMs = nowMs
      const bytesPerSecond = (currentBytes * 1_000) / Math.max(1, nowMs - startedMs)
      const progress = { currentBytes, totalBytes, counted: true, bytesPerSecond }
      context.redraw(progressLine(escapeText(name), progress, context.columns))
    }
    const { body, modifiedMs } = await client.content(folder, name, { signal: context.signal })
    const id = context.randomText(8)
    await handled(() => saveFile({ path: resolve(path), body, modifiedMs, replace, id, onBytes }))
  }
  context.redraw('')
  return currentBytes
}

/** A reply that is cut off: the daemon could not get the rest, and has no other means to say so. */
async function handled(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ECONNRESET') throw error
    const reason = 'no connected device could give the rest of the file'
    throw new ClientError('status', `the reply was cut off: ${reason} (${messageOf(error)})`, { cause: error })
  }
}

/** The path in a folder; '' is the folder itself. */
function pathIn(folder: { readonly id: string; readonly path: string }, given: string): string {
  const name = insideFolder(folder, given)
    .replace(/^(\.\/)+/, '')
    .replace(/\/+$/, '')
  return name === '.' ? '' : name
}
