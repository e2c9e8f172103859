import type { Client } from '../client/client.ts'
import { ClientError } from '../client/errors.ts'
import { TwinfoldError } from '../core/errors.ts'
import type { GuardJson } from '../rest/guard.ts'
import { CLI_EXIT, findFolder, type CliContext, type CliExit } from './context.ts'
import { escapeText, formatCount } from './text.ts'

type NameOf = (id: string) => string

interface Json {
  readonly json?: boolean
}

export const GUARD_ACTIONS = ['apply', 'refuse', 'dismiss'] as const
export type GuardAction = (typeof GUARD_ACTIONS)[number]

/** The state of a folder's guard; undefined for a folder that does not run. */
export async function guardOf(client: Client, folder: string): Promise<GuardJson | undefined> {
  return await client.call('GET /rest/twinfold/guard', { query: { folder } }).catch((error: unknown) => {
    if (error instanceof ClientError && (error.status === 404 || error.status === 409)) return undefined
    throw error
  })
}

/** Lists what the guards of all folders, or of one, hold and have noticed. */
export async function listGuards(
  context: CliContext,
  client: Client,
  text: string | undefined,
  options: Json,
): Promise<CliExit> {
  const folders = text === undefined ? await client.folders() : [await findFolder(client, text)]
  const devices = await client.devices()
  const nameOf = (id: string) => devices.find(({ deviceID }) => deviceID === id)?.name || id
  const states = await Promise.all(folders.map(async ({ id }) => ({ folder: id, guard: await guardOf(client, id) })))
  if (options.json) {
    const rows = states.map(({ folder, guard }) => ({ folder, ...guard }))
    context.print(JSON.stringify(text === undefined ? rows : rows[0], undefined, 2))
    return CLI_EXIT.done
  }
  const lines = states.flatMap(({ folder, guard }) => (guard === undefined ? [] : guardLines(folder, guard, nameOf)))
  for (const line of lines) context.print(escapeText(line))
  if (lines.length === 0) context.print('Nothing is held.')
  return CLI_EXIT.done
}

/** What is held and noticed, as sentences. */
function guardLines(folder: string, { held, notices }: GuardJson, nameOf: NameOf): string[] {
  return [
    ...held.flatMap((loss) => [
      `folder "${folder}": ${heldText(loss, nameOf)}, since ${loss.since}`,
      ...loss.examples.map((name) => `  ${name}`),
      `  ${remedyText(folder, loss.side)}`,
    ]),
    ...notices.map((notice) => `folder "${folder}": ${noticeText(notice, nameOf)}, since ${notice.since}`),
  ]
}

function remedyText(folder: string, side: 'local' | 'remote'): string {
  const [applied, refused] =
    side === 'local'
      ? ['announces that they are gone', 'fetches them from other devices']
      : ['deletes them here, too', 'brings them back there']
  return `"guard apply ${folder}" ${applied}; "guard refuse ${folder}" ${refused}`
}

function noticeText({ deletions, kind, origin, truncations }: GuardJson['notices'][number], nameOf: NameOf): string {
  if (kind === 'deleted')
    return `${nameOf(origin)} deleted ${lossText(deletions, truncations)}, which are old versions here`
  return `old versions are not cleaned up: ${formatCount(deletions, 'file')} replaced by files that look encrypted`
}

/** What is held, as a reason. */
export function heldText(
  { deletions, origin, side, truncations }: Omit<GuardJson['held'][number], 'examples' | 'since'>,
  nameOf: NameOf,
): string {
  const lost = lossText(deletions, truncations)
  return side === 'local'
    ? `${lost} missing here; the guard holds that and announces nothing`
    : `${lost} deleted by ${nameOf(origin)}; the guard holds that and deletes nothing here`
}

function lossText(deletions: number, truncations: number): string {
  if (truncations === 0) return formatCount(deletions, 'file')
  const empty = `${formatCount(truncations, 'emptied file')}`
  return deletions === 0 ? empty : `${formatCount(deletions, 'file')} and ${empty}`
}

/** Applies or refuses what is held, or dismisses what was noticed. */
export async function decideGuard(
  context: CliContext,
  client: Client,
  action: GuardAction,
  text: string,
  options: Json & { readonly yes: boolean },
): Promise<CliExit> {
  const { id } = await findFolder(client, text)
  const { held } = await client.call('GET /rest/twinfold/guard', { query: { folder: id } })
  const files = held.reduce((sum, { deletions, truncations }) => sum + deletions + truncations, 0)
  if (action === 'apply' && files > 0 && !options.yes) {
    const what = `the loss of ${formatCount(files, 'file')} of folder "${id}" would be applied`
    throw new TwinfoldError('refused', `${what}; use --yes to do that`)
  }
  await client.call(`POST /rest/twinfold/guard/${action}`, { query: { folder: id } })
  if (options.json) context.print(JSON.stringify({ folder: id, action, files }, undefined, 2))
  else context.print(`Folder "${escapeText(id)}": ${doneText(action, files)}.`)
  return CLI_EXIT.done
}

function doneText(action: GuardAction, files: number): string {
  const count = formatCount(files, 'file')
  if (action === 'apply') return `the loss of ${count} is applied`
  return action === 'refuse' ? `${count} are brought back` : 'dismissed'
}
