import { TwinfoldError } from '../core/errors.ts'
import type { Client } from '../client/client.ts'
import type { MoveJson, MoveStartedJson } from '../rest/move.ts'
import { CLI_EXIT, findFolder, type CliContext, type CliExit } from './context.ts'
import { directoryPath } from './folder-commands.ts'
import { progressLine } from './progress.ts'
import { escapeText, formatBytes, formatCount } from './text.ts'

export interface MoveOptions {
  readonly preview?: boolean
  readonly cancel?: boolean
  readonly json?: boolean
}

type Preview = NonNullable<MoveStartedJson['preview']>

const POLL_MS = 250
const LEFT_SHOWN_MAX = 20
const ENDED: readonly MoveJson['state'][] = ['done', 'failed', 'cancelled']

/** Moves a folder and shows the progress. Without a path it shows the move that runs, or the last one. */
export async function folderMove(
  context: CliContext,
  client: Client,
  text: string,
  path: string | undefined,
  options: MoveOptions,
): Promise<CliExit> {
  const { id } = await findFolder(client, text)
  if (options.cancel) return await cancelMove(context, client, id, options)
  if (path === undefined) return await showMove(context, client, id, options)
  const query = { folder: id, path: directoryPath(context, path) }
  const { preview } = await client.call('POST /rest/twinfold/move', { query: { ...query, preview: 'true' } })
  if (preview === null) throw new TwinfoldError('refused', 'the daemon returned no preview')
  if (options.preview && options.json) {
    context.print(JSON.stringify(preview, undefined, 2))
    return preview.problem === null ? CLI_EXIT.done : CLI_EXIT.failed
  }
  if (preview.problem !== null) throw new TwinfoldError('refused', preview.problem.text)
  if (!options.json) context.print(previewText(preview))
  if (options.preview) return CLI_EXIT.done
  await client.call('POST /rest/twinfold/move', { query })
  return await follow(context, client, id, options)
}

function previewText({ folder, from, to, method, files, bytes, freeBytes }: Preview): string {
  const way = `Folder "${escapeText(folder)}": ${escapeText(from)} to ${escapeText(to)}`
  if (method === 'rename') return `${way}, renamed on the same disk.`
  const free = freeBytes === null ? '' : `; ${formatBytes(freeBytes)} free there`
  return `${way}, ${formatCount(files, 'file')} (${formatBytes(bytes)}) copied to another disk${free}.`
}

async function showMove(context: CliContext, client: Client, id: string, options: MoveOptions): Promise<CliExit> {
  const move = await moveOf(client, id)
  if (move === null) throw new TwinfoldError('usage', `folder "${id}" was never moved; name the new directory`)
  return ENDED.includes(move.state) ? report(context, move, options) : await follow(context, client, id, options)
}

async function cancelMove(context: CliContext, client: Client, id: string, options: MoveOptions): Promise<CliExit> {
  await client.call('DELETE /rest/twinfold/move', { query: { folder: id } })
  return await follow(context, client, id, options)
}

async function moveOf(client: Client, folder: string): Promise<MoveJson | null> {
  return (await client.call('GET /rest/twinfold/move', { query: { folder } })).move
}

/** Until the move has ended. An interrupt ends only the display. */
async function follow(context: CliContext, client: Client, id: string, options: MoveOptions): Promise<CliExit> {
  const startedMs = context.nowMs()
  let waitsFor = ''
  for (;;) {
    const move = await moveOf(client, id)
    if (move === null) throw new TwinfoldError('refused', `folder "${id}" is not being moved`)
    if (ENDED.includes(move.state)) {
      context.redraw('')
      return report(context, move, options)
    }
    if (move.error !== waitsFor && move.error !== '') context.printError(`Waiting: ${escapeText(move.error)}`)
    waitsFor = move.error
    if (!options.json && context.interactive) context.redraw(line(move, context, startedMs))
    try {
      await context.sleep(POLL_MS, context.signal)
    } catch {
      context.redraw('')
      const again = `${context.program} folder move ${id}`
      context.printError(`The move continues. Show it with "${again}", undo it with "${again} --cancel".`)
      return CLI_EXIT.interrupted
    }
  }
}

function line(move: MoveJson, context: CliContext, startedMs: number): string {
  const seconds = (context.nowMs() - startedMs) / 1_000
  const bytesPerSecond = seconds > 0 ? move.bytesDone / seconds : 0
  const progress = { currentBytes: move.bytesDone, totalBytes: move.bytes, counted: true, bytesPerSecond }
  return progressLine(`${escapeText(move.folder)} ${move.state}`, progress, context.columns)
}

function report(context: CliContext, move: MoveJson, options: MoveOptions): CliExit {
  const isDone = move.state === 'done'
  if (options.json) {
    context.print(JSON.stringify(move, undefined, 2))
    return isDone ? exitOf(move) : CLI_EXIT.failed
  }
  const [name, from, to] = [move.folder, move.from, move.to].map(escapeText)
  if (isDone) context.print(`Folder "${name}" is at ${to}.`)
  else if (move.state === 'cancelled') context.print(`The move was cancelled; folder "${name}" is at ${from}.`)
  else context.printError(`The move failed, folder "${name}" is at ${from}: ${escapeText(move.error)}`)
  if (isDone && move.error !== '') context.printError(escapeText(move.error))
  showLeft(context, move, isDone ? from! : to!)
  return move.state === 'failed' ? CLI_EXIT.failed : exitOf(move)
}

function exitOf({ error, leftCount }: MoveJson): CliExit {
  return leftCount === 0 && error === '' ? CLI_EXIT.done : CLI_EXIT.doneWithProblems
}

/** What is not known as a copy was left alone. */
function showLeft(context: CliContext, { left, leftCount }: MoveJson, place: string): void {
  if (leftCount === 0) return
  context.printError(
    `${formatCount(leftCount, 'item')} stayed in ${place}, because nothing like it is in the other place:`,
  )
  for (const name of left.slice(0, LEFT_SHOWN_MAX)) context.printError(`  ${escapeText(name)}`)
  if (leftCount > LEFT_SHOWN_MAX) context.printError(`  … and ${leftCount - LEFT_SHOWN_MAX} more`)
}
