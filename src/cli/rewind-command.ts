import { TwinfoldError } from '../core/errors.ts'
import type { Client } from '../client/client.ts'
import type { RewindJson, RewindPreviewJson } from '../rest/rewind.ts'
import { CLI_EXIT, findFolder, type CliContext, type CliExit } from './context.ts'
import { escapeText, formatBytes, formatCount } from './text.ts'

export interface RewindOptions {
  readonly to?: string
  readonly beside: boolean
  readonly apply: boolean
  readonly yes: boolean
  readonly stop: boolean
  readonly json: boolean
}

const POLL_MS = 250
const NAMES_SHOWN_MAX = 5

/** Shows what a rewind would do, or rewinds. Without a time it shows the rewind that runs, or the last one. */
export async function rewind(
  context: CliContext,
  client: Client,
  [text = '', path]: readonly (string | undefined)[],
  options: RewindOptions,
): Promise<CliExit> {
  const { id } = await findFolder(client, text)
  if (options.stop) {
    await client.call('DELETE /rest/twinfold/rewind', { query: { folder: id } })
    return await follow(context, client, id, options)
  }
  if (options.to === undefined) return await show(context, client, id, options)
  const mode = options.beside ? 'beside' : 'in-place'
  const query = { folder: id, to: options.to, ...(path !== undefined && { path }) }
  const { preview } = await client.call('GET /rest/twinfold/rewind', { query: { ...query, mode } })
  if (preview === null) throw new TwinfoldError('refused', 'the daemon returned no preview')
  if (!options.apply) {
    if (options.json) context.print(JSON.stringify({ folder: id, preview }, undefined, 2))
    else for (const line of previewLines(preview)) context.print(line)
    return CLI_EXIT.done
  }
  if (preview.replaced + preview.removed.items > 0 && !options.yes) {
    const what = formatCount(preview.replaced + preview.removed.items, 'item')
    throw new TwinfoldError(
      'refused',
      `${what} of folder "${id}" would be replaced on all devices and become old versions; use --yes, or --beside`,
    )
  }
  if (!options.json) for (const line of previewLines(preview)) context.print(line)
  await client.call('POST /rest/twinfold/rewind', { query, body: { mode } })
  return await follow(context, client, id, options)
}

function previewLines({
  restorable,
  replaced,
  gone,
  kept,
  removed,
  blocked,
  beside,
  verified,
}: RewindPreviewJson): readonly string[] {
  const place = beside === '' ? '' : ` to "${escapeText(beside)}"`
  const group = (title: string, { items, bytes, names }: RewindPreviewJson['gone'], more = '') => {
    const shown = names.slice(0, NAMES_SHOWN_MAX).map(escapeText)
    const rest = items > shown.length ? ', …' : ''
    const examples = shown.length === 0 ? '' : `: ${shown.join(', ')}${rest}`
    return `${title}: ${formatCount(items, 'item')}, ${formatBytes(bytes)}${more}${examples}`
  }
  const others = replaced === 0 ? '' : ` (${replaced} of them replace what is there, which becomes an old version)`
  return [
    group('Restorable', restorable, place + others),
    group('Gone', gone),
    group('Newer, kept', kept),
    ...(removed.items > 0 ? [group('Made by a rewind, removed', removed)] : []),
    ...(blocked.items > 0 ? [group('Left out, a directory has the name', blocked)] : []),
    ...(verified ? [] : ['Not all old versions were read: some may turn out to be gone.']),
  ]
}

async function show(context: CliContext, client: Client, id: string, options: RewindOptions): Promise<CliExit> {
  const rewound = await statusOf(client, id)
  if (rewound === null) throw new TwinfoldError('usage', `folder "${id}" was never rewound; name the time with --to`)
  return rewound.state === 'running'
    ? await follow(context, client, id, options)
    : report(context, id, rewound, options)
}

async function statusOf(client: Client, folder: string): Promise<RewindJson | null> {
  return (await client.call('GET /rest/twinfold/rewind', { query: { folder } })).rewind
}

/** Until the rewind has ended. An interrupt ends only the display. */
async function follow(context: CliContext, client: Client, id: string, options: RewindOptions): Promise<CliExit> {
  let waitsFor = ''
  for (;;) {
    const rewound = await statusOf(client, id)
    if (rewound === null) throw new TwinfoldError('refused', `folder "${id}" is not being rewound`)
    if (rewound.state !== 'running') {
      context.redraw('')
      return report(context, id, rewound, options)
    }
    if (rewound.error !== waitsFor && rewound.error !== '') context.printError(`Waiting: ${escapeText(rewound.error)}`)
    waitsFor = rewound.error
    if (!options.json && context.interactive) context.redraw(`Rewinding: ${rewound.handled} of ${rewound.items} items`)
    try {
      await context.sleep(POLL_MS, context.signal)
    } catch {
      context.redraw('')
      const again = `${context.program} rewind ${id}`
      context.printError(`The rewind continues. Show it with "${again}", stop it with "${again} --stop".`)
      return CLI_EXIT.interrupted
    }
  }
}

function report(context: CliContext, folder: string, rewound: RewindJson, options: RewindOptions): CliExit {
  const { state, items, gone, failed, error, problems, to } = rewound
  if (options.json) context.print(JSON.stringify({ folder, rewind: rewound }, undefined, 2))
  else {
    const done = `${formatCount(rewound.rewound, 'item')} (${formatBytes(rewound.bytes)}) as of ${to}`
    const end = state === 'done' ? '' : state === 'stopped' ? ', then stopped' : `, then failed: ${escapeText(error)}`
    const removed = rewound.removed === 0 ? '' : `, ${formatCount(rewound.removed, 'item')} removed`
    context.print(`Rewound folder "${escapeText(folder)}": ${done}${removed}${end}.`)
    for (const { path, reason } of problems) context.printError(`${escapeText(path)}: ${escapeText(reason)}`)
    if (gone + failed > problems.length) context.printError(`… and ${gone + failed - problems.length} more of ${items}`)
  }
  if (state === 'failed') return CLI_EXIT.failed
  return gone + failed === 0 ? CLI_EXIT.done : CLI_EXIT.doneWithProblems
}
