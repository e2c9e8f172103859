import type { FolderConfig, FolderTypeName } from '../../core/config/config.ts'
import type { DeviceId } from '../../core/ids.ts'
import type { IgnoreRules } from '../../core/ignore/ignore.ts'
import { isCanonical, isReserved } from '../../core/paths.ts'
import { EFFECTS, type Effect } from '../../core/records/effect.ts'
import {
  departureEffects,
  isPresent,
  isReceiveOnly,
  overrideEffects,
  pullEffects,
  remoteEffects,
  revertEffects,
  typeEffects,
  unshareEffects,
  type FolderRules,
  type ItemEffect,
} from '../../core/records/effects.ts'
import { isInvalid, type FileHead } from '../../core/records/file-info.ts'
import { isNeeded, weightBytes } from '../../core/records/need.ts'
import type { CountTime } from '../../core/records/version-vector.ts'
import type { FolderIndex, NameRecords } from '../../db/types.ts'
import type { TimeSlice } from '../../sync/time-slice.ts'
import { FOLDER_POLICIES, permissionRule } from '../state/folder-policy.ts'

const PAGE = 200
const NAMES_AT_ONCE = 50
const EXAMPLES_MAX = 10

/** An action on a folder whose effects are planned. */
export type PlannedAction =
  | { readonly kind: 'resume' | 'override' | 'revert' | 'remove' }
  | { readonly kind: 'type'; readonly type: FolderTypeName }
  | { readonly kind: 'share' | 'unshare'; readonly device: DeviceId }
  /** The rules that will be in force. */
  | { readonly kind: 'ignores'; readonly rules: IgnoreRules }

/** How many items an action affects in one way, in one place. */
export interface PlannedEffect {
  readonly effect: Effect
  /** Undefined: here. */
  readonly device: DeviceId | undefined
  readonly items: number
  readonly bytes: number
  readonly examples: readonly string[]
}

export interface PlanFacts {
  readonly folder: FolderConfig
  /** The system of this device: not every one has permission bits. */
  readonly platform: string
  /** The rules in force. */
  readonly rules: IgnoreRules
  readonly collects: boolean
  /** The other devices that share the folder. */
  readonly devices: readonly DeviceId[]
  readonly counting: CountTime
  /** The file of a name that others have deleted and that stays here. */
  kept(name: string): FileHead | undefined
  /** The size of an item on the disk; undefined where there is none. */
  sizeOnDisk(name: string): Promise<number | undefined>
  /** Calls `check` for the names on the disk, within limits; directories that the rules leave out are not entered. */
  walk(rules: IgnoreRules, check: (name: string) => void, slice: TimeSlice): Promise<boolean>
}

type PlanIndex = Pick<FolderIndex, 'needs' | 'records' | 'listing'>

/**
 * What an action will do, by the records of the index and the decisions that the action itself uses. Exact counts of
 * what is known now; names are examples. Reads page by page in time slices, and changes nothing.
 */
export async function planAction(
  index: PlanIndex,
  action: PlannedAction,
  facts: PlanFacts,
  slice: TimeSlice,
): Promise<readonly PlannedEffect[]> {
  const tally = new EffectTally()
  const effectsOf = itemEffects(action, facts)
  for await (const records of namesFor(index, action, facts, slice)) {
    if (!isCanonical(records.name) || isReserved(records.name)) continue // never applied
    for (const effect of await effectsOf(records)) tally.add(records.name, effect)
  }
  if (action.kind === 'ignores') await addUnrecorded(index, action.rules, facts, tally, slice)
  return tally.result()
}

/** Ignored names that only the disk has are announced when no pattern ignores them any more. */
async function addUnrecorded(
  { listing }: PlanIndex,
  next: IgnoreRules,
  { rules, sizeOnDisk, walk }: PlanFacts,
  tally: EffectTally,
  slice: TimeSlice,
): Promise<void> {
  const names: string[] = []
  const check = (name: string) => {
    if (rules.match(name).ignored && !next.match(name).ignored) names.push(name)
  }
  await walk(next, check, slice)
  for (let at = 0; at < names.length; at += NAMES_AT_ONCE) {
    const some = names.slice(at, at + NAMES_AT_ONCE)
    const recorded = (await listing.recordsOf(some)).filter(({ local }) => local !== undefined)
    const known = new Set(recorded.map(({ name }) => name))
    for (const name of some) {
      const bytes = known.has(name) ? undefined : await sizeOnDisk(name)
      if (bytes !== undefined) tally.add(name, { effect: 'announce', bytes })
    }
    if (slice.isDue) await slice.yield()
  }
}

function itemEffects(
  action: PlannedAction,
  facts: PlanFacts,
): (records: NameRecords) => readonly ItemEffect[] | Promise<readonly ItemEffect[]> {
  const { counting, devices, folder, rules } = facts
  const given = (records: NameRecords, type = folder.type) => rulesFor(records, facts, rules, type)
  switch (action.kind) {
    case 'resume':
      return (records) => pullEffects(records.local, records.global, given(records))
    case 'override':
      return (records) => (rules.match(records.name).ignored ? [] : overrideEffects(records, devices, counting))
    case 'revert':
      return (records) => revertEffects(records, { ...given(records), ...rules.match(records.name) })
    case 'type': {
      const { localChangesStayHere } = FOLDER_POLICIES[action.type]
      return (records) =>
        typeEffects(records, devices, { ...given(records, action.type), localChangesStayHere }, counting)
    }
    case 'remove':
      return (records) => departureEffects(records, devices)
    case 'unshare':
      return (records) => unshareEffects(records, action.device, given(records))
    case 'share':
      return ({ global, others }) =>
        global.deleted || isInvalid(global) ? [] : remoteEffects(global, others, [action.device])
    case 'ignores':
      return (records) => ignoreEffects(records, action.rules, facts)
  }
}

function rulesFor(
  { name, local }: NameRecords,
  facts: PlanFacts,
  rules: IgnoreRules,
  type: FolderTypeName,
): FolderRules {
  const { ignoreDelete, ignorePerms, maxConflicts } = facts.folder
  const { keepsConflicts, mayCollect, takesFiles } = FOLDER_POLICIES[type]
  return {
    takesFiles,
    ignoreDelete,
    keepsConflicts: keepsConflicts && maxConflicts !== 0,
    collects: facts.collects && mayCollect,
    ignorePerms: permissionRule({ ignorePerms, type }, facts.platform) !== 'applied',
    ignored: rules.match(name).ignored,
    kept: local === undefined || local.deleted ? facts.kept(name) : undefined,
  }
}

/** What is ignored by other patterns stays on the disk, what no longer is gets pulled or announced. */
async function ignoreEffects(
  records: NameRecords,
  next: IgnoreRules,
  facts: PlanFacts,
): Promise<readonly ItemEffect[]> {
  const { name, local, global } = records
  const [was, becomes] = [facts.rules.match(name).ignored, next.match(name).ignored]
  if (was === becomes) return []
  if (becomes) {
    if (isPresent(local)) return [{ effect: next.isDropped(name) ? 'delete' : 'ignore', bytes: weightBytes(local) }]
    return isNeeded(local, global, global.deleted) ? [{ effect: 'leave', bytes: weightBytes(global) }] : []
  }
  const sizeBytes = await facts.sizeOnDisk(name)
  if (sizeBytes !== undefined) return [{ effect: 'announce', bytes: sizeBytes }]
  // A scan records an ignored item that is gone as deleted, older than every other version.
  const gone: FileHead | undefined = local && { ...local, deleted: true, version: [], localFlags: 0 }
  return pullEffects(gone, global, rulesFor(records, facts, next, facts.folder.type))
}

/** The names that an action may affect, each once. */
async function* namesFor(
  index: PlanIndex,
  { kind, ...action }: PlannedAction,
  { rules }: PlanFacts,
  slice: TimeSlice,
): AsyncGenerator<NameRecords> {
  const next = 'rules' in action ? action.rules : undefined
  if (kind === 'resume' || kind === 'override') return yield* neededRecords(index, slice, () => true)
  const isWanted = (head: FileHead): boolean => {
    if (kind === 'revert' || kind === 'type') return isReceiveOnly(head)
    if (kind === 'share') return !head.deleted
    return next === undefined || next.match(head.name).ignored !== rules.match(head.name).ignored
  }
  yield* ownRecords(index, slice, isWanted)
  if (kind === 'revert') return
  yield* neededRecords(index, slice, ({ local }) =>
    kind === 'type' ? local === undefined || !isReceiveOnly(local) : local === undefined,
  )
}

async function* ownRecords(
  index: PlanIndex,
  slice: TimeSlice,
  isWanted: (head: FileHead) => boolean,
): AsyncGenerator<NameRecords> {
  for (let afterName: string | undefined = ''; afterName !== undefined;) {
    const page: readonly FileHead[] = await index.records.page('local', { within: '', afterName, limit: PAGE })
    yield* recordsOf(index, page.filter(isWanted), slice)
    afterName = page.length < PAGE ? undefined : page.at(-1)?.name
  }
}

async function* neededRecords(
  index: PlanIndex,
  slice: TimeSlice,
  isWanted: (records: NameRecords) => boolean,
): AsyncGenerator<NameRecords> {
  for (let afterName: string | undefined = ''; afterName !== undefined;) {
    const page: readonly FileHead[] = await index.needs.need({ offset: 0, limit: PAGE, afterName })
    for await (const records of recordsOf(index, page, slice)) if (isWanted(records)) yield records
    afterName = page.length < PAGE ? undefined : page.at(-1)?.name
  }
}

async function* recordsOf(
  { listing }: PlanIndex,
  heads: readonly FileHead[],
  slice: TimeSlice,
): AsyncGenerator<NameRecords> {
  for (let at = 0; at < heads.length; at += NAMES_AT_ONCE) {
    const names = heads.slice(at, at + NAMES_AT_ONCE).map(({ name }) => name)
    for (const records of await listing.recordsOf(names)) {
      yield records
      if (slice.isDue) await slice.yield()
    }
  }
  if (slice.isDue) await slice.yield()
}

/** Counts effects by place and kind. */
class EffectTally {
  readonly #counts = new Map<
    string,
    { -readonly [K in keyof PlannedEffect]: PlannedEffect[K] } & { examples: string[] }
  >()

  add(name: string, { effect, bytes, device }: ItemEffect): void {
    const key = `${effect} ${device ?? ''}`
    let count = this.#counts.get(key)
    if (count === undefined) {
      count = { effect, device, items: 0, bytes: 0, examples: [] }
      this.#counts.set(key, count)
    }
    count.items++
    count.bytes += bytes
    if (count.examples.length < EXAMPLES_MAX) count.examples.push(name)
  }

  /** Those here first, then by device, in the order of the effects. */
  result(): readonly PlannedEffect[] {
    const order = (effect: Effect) => EFFECTS.indexOf(effect)
    return [...this.#counts.values()].sort((a, b) => {
      const [one, other] = [a.device ?? '', b.device ?? '']
      return one === other ? order(a.effect) - order(b.effect) : one < other ? -1 : 1
    })
  }
}
