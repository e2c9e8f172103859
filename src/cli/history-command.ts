import type { Client } from '../client/client.ts'
import type { HistoryEntryJson } from '../rest/history.ts'
import { CLI_EXIT, findDevice, findFolder, type CliContext, type CliExit } from './context.ts'
import { tableLines } from './table.ts'
import { formatBytes, formatCount } from './text.ts'

export interface HistoryOptions {
  readonly since?: string
  readonly by?: string
  readonly limit?: number
  readonly json?: boolean
}

const LIMIT_DEFAULT = 100
/** Of one request. */
const PAGE_MAX = 1_000

type Listed = HistoryEntryJson & { readonly folder: string }

/** Lists what changed here, newest first, in one folder or in all. */
export async function history(
  context: CliContext,
  client: Client,
  [folder, path]: readonly (string | undefined)[],
  options: HistoryOptions,
): Promise<CliExit> {
  const devices = await client.devices()
  const by = options.by === undefined ? undefined : findDevice(devices, options.by).deviceID
  const folders = folder === undefined ? await client.folders() : [await findFolder(client, folder)]
  const limit = options.limit ?? LIMIT_DEFAULT
  const found: Listed[] = []
  let since: string | null = null
  for (const { id } of folders) {
    const query = { folder: id, file: path, since: options.since, by }
    since = (await addEntries(client, query, limit, found)) ?? since
  }
  const entries = found.sort((a, b) => (a.time === b.time ? 0 : a.time < b.time ? 1 : -1)).slice(0, limit)
  if (options.json) {
    context.print(JSON.stringify({ entries, completeSince: since }, undefined, 2))
    return CLI_EXIT.done
  }
  if (entries.length === 0) {
    context.print(since === null ? 'Nothing is recorded before the first scan has ended.' : 'No changes.')
    return CLI_EXIT.done
  }
  const columns = [
    { title: 'TIME' },
    ...(folder === undefined ? [{ title: 'FOLDER', shrink: 'end' } as const] : []),
    { title: 'BY', shrink: 'end' },
    { title: 'WHAT' },
    { title: 'SIZE', align: 'right' },
    { title: 'PATH', shrink: 'start' },
  ] as const
  const nameOf = (short: string) => devices.find(({ deviceID }) => deviceID.startsWith(short))?.name || short
  const rows = entries.map((entry) => [
    entry.time,
    ...(folder === undefined ? [entry.folder] : []),
    entry.by === '' ? '' : nameOf(entry.by),
    whatOf(entry),
    sizeOf(entry),
    pathOf(entry),
  ])
  for (const line of tableLines(columns, rows, context.columns)) context.print(line)
  return CLI_EXIT.done
}

/** Adds at most `limit` entries of a folder; returns from when on its history is complete. */
async function addEntries(
  client: Client,
  query: { folder: string; file: string | undefined; since: string | undefined; by: string | undefined },
  limit: number,
  found: Listed[],
): Promise<string | null> {
  const { folder, ...rest } = query
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  let cursor: string | null = null
  for (let left = limit; ;) {
    const page = { ...given, folder, limit: Math.max(1, Math.min(PAGE_MAX, left)), ...(cursor !== null && { cursor }) }
    const reply: Awaited<ReturnType<typeof readPage>> = await readPage(client, page)
    for (const entry of reply.entries) found.push({ folder, ...entry })
    left -= reply.entries.length
    cursor = reply.next
    if (cursor === null || left <= 0) return reply.completeSince
  }
}

function readPage(client: Client, query: { readonly folder: string; readonly limit: number }) {
  return client.call('GET /rest/twinfold/history', { query })
}

const HOW: Readonly<Record<HistoryEntryJson['how'], string>> = {
  scan: '',
  pull: ', pulled',
  action: '',
  restore: ', restored',
  rewind: ', rewound',
  merge: ', merged',
}

function whatOf({ kind, how }: HistoryEntryJson): string {
  if (kind === 'baseline') return 'first scan'
  if (kind === 'conflict') return `conflict copy${HOW[how]}`
  return `${kind}${HOW[how]}`
}

function sizeOf({ after, before, baseline }: HistoryEntryJson): string {
  if (baseline !== null) return formatBytes(baseline.bytes)
  const item = after ?? before
  return item?.type === 'file' ? formatBytes(item.size) : ''
}

function pathOf({ path, after, before, baseline }: HistoryEntryJson): string {
  if (baseline !== null) return formatCount(baseline.files, 'file')
  return (after ?? before)?.type === 'directory' ? `${path}/` : path
}
