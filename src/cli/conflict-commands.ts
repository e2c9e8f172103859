import type { Client } from '../client/client.ts'
import { applyRule, matchesPattern, type RuledConflicts } from '../core/conflicts/rule.ts'
import { splitLines } from '../core/diff/line-diff.ts'
import { TwinfoldError } from '../core/errors.ts'
import type { DeviceId } from '../core/ids.ts'
import type { ConflictJson, RESOLVE_CONFLICTS_BODY } from '../rest/conflicts.ts'
import type { Static } from '../rest/schema.ts'
import { CLI_EXIT, findDevice, findFolder, type CliContext, type CliExit } from './context.ts'
import { tableLines } from './table.ts'
import { escapeText, formatBytes, formatCount } from './text.ts'

interface Json {
  readonly json?: boolean
}

/** Of one request. */
const COPIES_MAX = 500

/** Lists the conflict copies of one folder, or of all. */
export async function listConflicts(
  context: CliContext,
  client: Client,
  text: string | undefined,
  options: Json & { readonly matching?: string },
): Promise<CliExit> {
  const folder = text === undefined ? {} : { folder: (await findFolder(client, text)).id }
  const wanted = options.matching ?? ''
  const isWhole = wanted !== ''
  const [page, devices] = await Promise.all([
    isWhole
      ? allConflicts(client, folder).then((items) => ({ items, total: 0 }))
      : client.call('GET /rest/twinfold/conflicts', { query: { ...folder, perpage: COPIES_MAX } }),
    client.devices(),
  ])
  const items = page.items.filter(({ original }) => matchesPattern(original, wanted))
  if (options.json) {
    context.print(JSON.stringify(items, undefined, 2))
    return CLI_EXIT.done
  }
  if (items.length === 0) context.print('No conflict copies.')
  else {
    const columns = [
      { title: 'FOLDER' },
      { title: 'CONFLICT COPY', shrink: 'start' },
      { title: 'OF', shrink: 'start' },
      { title: 'FILE', shrink: 'end' },
      { title: 'COPY', shrink: 'end' },
    ] as const
    const rows = items.map(({ folder: id, name, original, file, ...copy }) => [
      id,
      name,
      original,
      file === null ? 'none' : sideText(devices, file),
      sideText(devices, copy),
    ])
    for (const line of tableLines(columns, rows, context.columns)) context.print(line)
  }
  if (page.total > items.length && !isWhole) context.printError(`… and ${page.total - items.length} more`)
  return CLI_EXIT.done
}

type Side = NonNullable<ConflictJson['file']>
type Devices = Awaited<ReturnType<Client['devices']>>

/** By which device, when, and how large. */
function sideText(devices: Devices, { modified, modifiedBy, sizeBytes }: Omit<Side, 'hash'>): string {
  const device = devices.find(({ deviceID }) => deviceID.startsWith(modifiedBy))?.name || modifiedBy
  return `${device}, ${modified.slice(0, 16).replace('T', ' ')}, ${formatBytes(sizeBytes)}`
}

/** Prints what differs between the two versions of a conflict. */
export async function showConflict(
  context: CliContext,
  client: Client,
  text: string,
  name: string,
  options: Json,
): Promise<CliExit> {
  const { id } = await findFolder(client, text)
  const [diff, devices] = await Promise.all([
    client.call('GET /rest/twinfold/conflicts/diff', { query: { folder: id, name } }),
    client.devices(),
  ])
  if (options.json) {
    context.print(JSON.stringify(diff, undefined, 2))
    return CLI_EXIT.done
  }
  const { changes, kind, left, original, reason, right } = diff
  const head = (mark: string, path: string, side: Side | null) =>
    context.print(`${mark} ${escapeText(path)}: ${side === null ? 'no file' : escapeText(sideText(devices, side))}`)
  head('---', original, left)
  head('+++', name, right)
  if (kind === 'same') context.print('Both have the same content.')
  else if (kind !== 'text') context.print(`They are not compared: ${reason ?? kind}.`)
  const [lines, others] = [splitLines(left?.text ?? ''), splitLines(right.text ?? '')]
  const print = (mark: string, some: readonly string[]) => {
    for (const line of some) context.print(`${mark}${escapeText(line.replace(/\n$/, ''))}`)
  }
  for (const { leftCount, leftStart, rightCount, rightStart } of changes) {
    context.print(`@@ line ${leftStart + 1}, ${rightStart + 1} @@`)
    print('-', lines.slice(leftStart, leftStart + leftCount))
    print('+', others.slice(rightStart, rightStart + rightCount))
  }
  return CLI_EXIT.done
}

const KEPT_SIDES = ['original', 'copy', 'both'] as const
const RULES = ['newest', 'oldest', 'larger', 'smaller'] as const
const KEEP_CHOICES = [...KEPT_SIDES, ...RULES] as const
type KeepChoice = (typeof KEEP_CHOICES)[number]
type KeptSide = (typeof KEPT_SIDES)[number]

interface ResolveOptions extends Json {
  /** Also where what is not kept is lost. */
  readonly discard: boolean
}

/** Resolves the named conflicts of a folder, or all of them; what is not kept becomes an old version. */
export async function resolveConflicts(
  context: CliContext,
  client: Client,
  text: string,
  copies: readonly string[],
  options: ResolveOptions & { readonly keep: KeptSide },
): Promise<CliExit> {
  const { id } = await findFolder(client, text)
  const names = copies.length > 0 ? copies : (await allConflicts(client, { folder: id })).map(({ name }) => name)
  const failures = new Map<string, string>()
  for (let at = 0; at < names.length; at += COPIES_MAX) {
    const body = { keep: options.keep, names: names.slice(at, at + COPIES_MAX), mayRemove: options.discard }
    await post(client, id, body, failures)
  }
  const resolved = names.length - failures.size
  if (options.json) {
    const value = { folder: id, kept: options.keep, resolved, failures: Object.fromEntries(failures) }
    context.print(JSON.stringify(value, undefined, 2))
  } else {
    const where = `in folder "${escapeText(id)}"`
    const count = formatCount(resolved, 'conflict', 'conflicts')
    if (resolved > 0) context.print(`Resolved ${count} ${where}; ${KEPT_TEXTS[options.keep]}.`)
    else if (failures.size === 0) context.print(`No conflict copies ${where}.`)
    printFailures(context, failures, options)
  }
  return failures.size === 0 ? CLI_EXIT.done : CLI_EXIT.doneWithProblems
}

const KEPT_TEXTS: Readonly<Record<KeptSide, string>> = {
  original: 'the originals were kept',
  copy: 'the conflict copies were kept',
  both: 'both were kept',
}

type ResolveBody = Static<typeof RESOLVE_CONFLICTS_BODY>

/** Replaces a file by a merged text. */
export async function mergeConflict(
  context: CliContext,
  client: Client,
  text: string,
  copy: string,
  options: ResolveOptions & { readonly merged: string },
): Promise<CliExit> {
  const { id } = await findFolder(client, text)
  const merged = await context.readText(options.merged)
  const { left, right } = await client.call('GET /rest/twinfold/conflicts/diff', { query: { folder: id, name: copy } })
  const shown = { [copy]: { left: left?.hash ?? '', right: right.hash } }
  const failures = new Map<string, string>()
  await post(client, id, { keep: 'merged', names: [copy], mayRemove: options.discard, shown, merged }, failures)
  if (options.json) context.print(JSON.stringify({ folder: id, failures: Object.fromEntries(failures) }, undefined, 2))
  else {
    if (failures.size === 0)
      context.print(`Resolved 1 conflict in folder "${escapeText(id)}"; the merged text was kept.`)
    printFailures(context, failures, options)
  }
  return failures.size === 0 ? CLI_EXIT.done : CLI_EXIT.doneWithProblems
}

export interface RuleOptions extends ResolveOptions {
  readonly keep: KeepChoice | undefined
  /** The name or ID of the device whose versions are kept. */
  readonly from: string | undefined
  readonly matching: string
  /** Only counts. */
  readonly preview: boolean
}

/** Resolves many conflicts, of one folder or of all, by a rule. */
export async function resolveByRule(
  context: CliContext,
  client: Client,
  text: string | undefined,
  options: RuleOptions,
): Promise<CliExit> {
  const { discard, from, json, keep, matching, preview } = options
  const folder = text === undefined ? {} : { folder: (await findFolder(client, text)).id }
  const found = (await allConflicts(client, folder)).filter(({ original }) => matchesPattern(original, matching))
  const plan = planOf(found, keep, from === undefined ? undefined : findDevice(await client.devices(), from).deviceID)
  const failures = new Map<string, string>()
  const counts = Object.fromEntries(Object.entries(plan).map(([kept, list]) => [kept, list.length]))
  const planned = plan.original.length + plan.copy.length + plan.both.length
  for (const kept of preview ? [] : KEPT_SIDES) {
    for (const [id, group] of Map.groupBy(plan[kept], (conflict) => conflict.folder)) {
      for (let at = 0; at < group.length; at += COPIES_MAX) {
        const some = group.slice(at, at + COPIES_MAX)
        const shown = some.map(({ name, hash, file }) => [name, { left: file?.hash ?? '', right: hash }] as const)
        const names = some.map(({ name }) => name)
        await post(client, id, { keep: kept, names, mayRemove: discard, shown: Object.fromEntries(shown) }, failures)
      }
    }
  }
  if (json) {
    const value = { preview, ...counts, failures: Object.fromEntries(failures) }
    context.print(JSON.stringify(value, undefined, 2))
  } else {
    const count = formatCount(preview ? planned : planned - failures.size, 'conflict', 'conflicts')
    context.print(`${preview ? 'Would resolve' : 'Resolved'} ${count}: ${ruleText(plan)}.`)
    printFailures(context, failures, options)
  }
  return failures.size === 0 ? CLI_EXIT.done : CLI_EXIT.doneWithProblems
}

function planOf(
  conflicts: readonly ConflictJson[],
  keep: KeepChoice | undefined,
  device: DeviceId | undefined,
): RuledConflicts<ConflictJson> {
  if (device !== undefined) return applyRule(conflicts, { kind: 'device', device: device.slice(0, SHORT_ID_LENGTH) })
  const none: RuledConflicts<ConflictJson> = { original: [], copy: [], both: [], left: [] }
  if (keep === 'original' || keep === 'copy' || keep === 'both') return { ...none, [keep]: conflicts }
  return keep === undefined ? none : applyRule(conflicts, { kind: keep })
}

/** The first group of an ID. */
const SHORT_ID_LENGTH = 7

function ruleText({ original, copy, both, left }: RuledConflicts<ConflictJson>): string {
  return [
    `files that stay ${original.length}`,
    `files that their copy replaces ${copy.length}`,
    `copies kept beside their file ${both.length}`,
    `left, because the rule has no answer ${left.length}`,
  ].join(', ')
}

async function post(client: Client, folder: string, body: ResolveBody, failures: Map<string, string>): Promise<void> {
  const unchanged = await client.call('POST /rest/twinfold/conflicts', { query: { folder }, body })
  for (const [name, reason] of Object.entries(unchanged)) failures.set(name, reason)
}

function printFailures(
  context: CliContext,
  failures: ReadonlyMap<string, string>,
  { discard }: Pick<ResolveOptions, 'discard'>,
): void {
  for (const [name, reason] of failures) context.printError(`${escapeText(name)}: ${escapeText(reason)}`)
  // The reply has only texts.
  const areLost = [...failures.values()].some((reason) => reason.includes('keeps no old versions'))
  if (areLost && !discard) context.printError('--discard resolves them all the same; what is not kept is then lost')
}

async function allConflicts(client: Client, folder: { readonly folder?: string }): Promise<readonly ConflictJson[]> {
  const all: ConflictJson[] = []
  for (let page = 1; ; page++) {
    const query = { ...folder, page, perpage: COPIES_MAX }
    const { items, total } = await client.call('GET /rest/twinfold/conflicts', { query })
    for (const item of items) all.push(item)
    if (items.length === 0 || page * COPIES_MAX >= total) return all
  }
}

/** What the command line asks for; throws where it does not say enough. */
export function conflictRequest(
  folder: string | undefined,
  copies: readonly string[],
  flags: ConflictFlags,
): ConflictRequest {
  const { all, diff, discard, from, keep, matching, merged, preview } = flags
  const refuse = (reason: string) => new TwinfoldError('refused', reason)
  const kept = KEEP_CHOICES.find((each) => each === keep)
  const [copy, ...more] = copies
  if (diff || merged !== undefined) {
    const flag = diff ? '--diff' : '--merged'
    if (folder === undefined || copy === undefined || more.length > 0)
      throw refuse(`${flag} needs the folder and one copy`)
    return diff ? { kind: 'diff', folder, copy } : { kind: 'merge', folder, copy, merged: merged ?? '' }
  }
  const isRule = from !== undefined || RULES.some((each) => each === kept)
  if (kept === undefined && from === undefined) {
    if (discard || copy !== undefined || preview)
      throw refuse('conflicts are resolved with --keep original or --keep copy, or by another choice of --keep')
    return { kind: 'list' }
  }
  if (kept !== undefined && from !== undefined) throw refuse('use one of --keep and --from')
  if (folder === undefined && !all) throw refuse('--keep needs the folder whose conflicts are resolved, or --all')
  if (copy !== undefined && (isRule || matching !== '' || preview))
    throw refuse('named copies are resolved with --keep original, copy or both alone')
  const isSide = KEPT_SIDES.find((each) => each === kept)
  if (isSide !== undefined && folder !== undefined && matching === '' && !preview)
    return { kind: 'keep', folder, keep: isSide }
  return { kind: 'rule', keep: kept }
}

/** The flags of the command. */
export interface ConflictFlags {
  readonly keep: string | undefined
  readonly from: string | undefined
  readonly merged: string | undefined
  readonly matching: string
  readonly all: boolean
  readonly diff: boolean
  readonly discard: boolean
  readonly preview: boolean
}

type ConflictRequest =
  | { readonly kind: 'list' }
  | { readonly kind: 'diff'; readonly folder: string; readonly copy: string }
  | { readonly kind: 'merge'; readonly folder: string; readonly copy: string; readonly merged: string }
  | { readonly kind: 'keep'; readonly folder: string; readonly keep: KeptSide }
  | { readonly kind: 'rule'; readonly keep: KeepChoice | undefined }
