import { posix, sep, win32 } from 'node:path'
import { TwinfoldError } from '../core/errors.ts'
import type { FolderConfig } from '../core/config/config.ts'
import { pathKey, slashedPath } from '../core/paths.ts'
import { stopText } from '../core/remedies/stop-text.ts'
import type { Client } from '../client/client.ts'
import type { EventJson } from '../rest/event-data.ts'
import { ClientError } from '../client/errors.ts'
import { CLI_EXIT, findFolder, type CliContext, type CliExit } from './context.ts'
import { progressLine, progressText, shareOf, type Progress } from './progress.ts'
import { escapeText, formatBytes, formatCount, formatDuration } from './text.ts'

export interface ScanOptions {
  readonly next?: number
  readonly json?: boolean
}

const PROGRESS_EVENT = 'FolderScanProgress'
/** If the output is not a terminal, progress is printed at every tenth. */
const PLAIN_STEP = 0.1
const PROBLEMS_SHOWN_MAX = 20

/** Scans all folders that are not paused, one after the other. The worst result is the exit code. */
export async function scanAll(context: CliContext, client: Client, options: ScanOptions): Promise<CliExit> {
  const folders = (await client.folders()).filter(({ paused }) => !paused)
  if (folders.length === 0) throw new TwinfoldError('folder-missing', 'there is no folder to scan')
  let exit: CliExit = CLI_EXIT.done
  for (const { id } of folders) {
    const one = await scan(context, client, id, [], options)
    if (one !== CLI_EXIT.done) exit = one
  }
  return exit
}

/** Scans and shows the progress. The exit code reports whether items could not be read. */
export async function scan(
  context: CliContext,
  client: Client,
  text: string,
  subs: readonly string[],
  options: ScanOptions,
): Promise<CliExit> {
  const folder = await findFolder(client, text)
  const paths = subs.map((sub) => insideFolder(folder, sub))
  const startedMs = context.nowMs()
  await withProgress(context, client, folder, options.json !== true, () =>
    client
      .scan(folder.id, {
        subs: paths,
        signal: context.signal,
        ...(options.next !== undefined && { nextS: options.next }),
      })
      .catch((error: unknown) => {
        throw explainStop(error, folder)
      }),
  )
  const durationS = (context.nowMs() - startedMs) / 1_000
  for (const path of paths) await checkScanned(context, client, folder, path)
  const [status, { errors }] = await Promise.all([client.folderStatus(folder.id), client.folderErrors(folder.id)])
  const problems = errors ?? []
  if (options.json) {
    const { localFiles, localDirectories, localSymlinks, localBytes } = status
    const counts = { files: localFiles, directories: localDirectories, symlinks: localSymlinks, bytes: localBytes }
    context.print(
      JSON.stringify({ folder: folder.id, subs: paths, durationS, ...counts, errors: problems }, undefined, 2),
    )
  } else {
    const content = `${formatCount(status.localFiles, 'file')}, ${formatBytes(status.localBytes)}`
    context.print(`Scanned "${escapeText(folder.id)}" in ${formatDuration(durationS)}; the folder holds ${content}`)
    showProblems(context, problems)
  }
  return problems.length === 0 ? CLI_EXIT.done : CLI_EXIT.doneWithProblems
}

const NOT_SCANNED: readonly string[] = ['ignored', 'reserved', 'special', 'outside']

/** The daemon scans any path without an error, because a deleted one has to be scanned, too. */
async function checkScanned(context: CliContext, client: Client, { id }: FolderConfig, given: string): Promise<void> {
  const file = given.replace(/^\.\//, '').replace(/\/+$/, '')
  if (file === '' || file === '.') return
  const found = await client
    .call('GET /rest/twinfold/why', { query: { folder: id, file } })
    .catch((error: unknown): undefined => {
      if (!(error instanceof ClientError && error.failure === 'status')) throw error // a Syncthing has no such route
    })
  const absent = found?.reasons.find(({ code }) => code === 'absent')
  if (absent !== undefined) throw new TwinfoldError('refused', `"${file}" in folder "${id}": ${absent.text}`)
  const reason = found?.reasons.find(({ code }) => NOT_SCANNED.includes(code))
  if (reason !== undefined) context.printError(`Warning: "${escapeText(file)}": ${escapeText(reason.text)}`)
}

/** The error of a folder that has stopped, in words for users. */
function explainStop(error: unknown, folder: FolderConfig): unknown {
  if (!(error instanceof ClientError) || error.failure !== 'status') return error
  const text = stopText(error.text, folder)
  return text === error.text ? error : new TwinfoldError('folder-error', text, { cause: error })
}

function showProblems(
  context: CliContext,
  problems: readonly { readonly path: string; readonly error: string }[],
): void {
  if (problems.length === 0) return
  context.printError(`${formatCount(problems.length, 'item')} could not be scanned:`)
  for (const problem of problems.slice(0, PROBLEMS_SHOWN_MAX))
    context.printError(`  ${escapeText(problem.path)}: ${escapeText(problem.error)}`)
  if (problems.length > PROBLEMS_SHOWN_MAX) context.printError(`  … and ${problems.length - PROBLEMS_SHOWN_MAX} more`)
}

/** Shells complete paths to absolute ones, so an absolute path inside the folder is accepted. */
export function insideFolder(
  folder: { readonly id: string; readonly path: string },
  sub: string,
  separator: string = sep,
): string {
  const given = slashedPath(sub, separator === '\\' ? 'win32' : '')
  const { isAbsolute } = separator === '\\' ? win32 : posix
  if (!isAbsolute(given)) return given
  const root = pathKey(folder.path, separator).replace(/\/+$/, '')
  const key = pathKey(given, separator)
  if (key === root || key === `${root}/`) return ''
  if (key.startsWith(`${root}/`)) return given.slice(root.length + 1)
  throw new TwinfoldError('path-escapes-folder', `${sub} is not in folder "${folder.id}", which is at ${folder.path}`)
}

/** Runs `work` and shows the progress of the folder. Only `work` decides success; events only drive the display. */
async function withProgress(
  context: CliContext,
  client: Client,
  folder: FolderConfig,
  visible: boolean,
  work: () => Promise<void>,
): Promise<void> {
  if (!visible) return work()
  const done = new AbortController()
  // The first poll makes the daemon buffer these events, so that none is lost before the scan starts.
  const earlier = await client.eventsSince({ types: [PROGRESS_EVENT], timeoutS: 0 })
  const watching = watchProgress(context, client, folder, earlier.at(-1)?.id ?? 0, done.signal)
  try {
    await work()
  } finally {
    done.abort()
    await watching
    context.redraw('')
  }
}

async function watchProgress(
  context: CliContext,
  client: Client,
  folder: FolderConfig,
  since: number,
  signal: AbortSignal,
): Promise<void> {
  let shownShare = 0
  try {
    for await (const event of client.events({ types: [PROGRESS_EVENT], since }, signal)) {
      const progress = progressOf(event, folder.id)
      if (progress === undefined || signal.aborted) continue
      if (context.interactive) {
        context.redraw(
          progressLine(escapeText(folder.label === '' ? folder.id : folder.label), progress, context.columns),
        )
      } else if (progress.counted && shareOf(progress) < 1 && shareOf(progress) >= shownShare + PLAIN_STEP) {
        shownShare = shareOf(progress)
        context.printError(`${escapeText(folder.id)}: ${progressText(progress).trimStart()}`)
      }
    }
  } catch (error) {
    // A lost event stream ends the progress bar, not the scan, which has its own request.
    if (!(error instanceof ClientError)) throw error
  }
}

/** The progress in an event of this folder; undefined for any other event. */
function progressOf(event: EventJson, folder: string): Progress | undefined {
  if (event.type !== PROGRESS_EVENT || event.data.folder !== folder) return undefined
  const { current, total, rate, counted = true } = event.data
  // One byte of the total is never hashed; it keeps the share below 100 % until the end.
  return { currentBytes: current, totalBytes: Math.max(0, total - 1), bytesPerSecond: rate, counted }
}
