import type { DeviceId } from '../ids.ts'
import { FLAG_IGNORED, FLAG_RECEIVE_ONLY, isInvalid, type FileHead } from './file-info.ts'
import { announcedOf } from './change.ts'
import type { Effect } from './effect.ts'
import { findWinner, isNeeded, isNeededByRemote, weightBytes } from './need.ts'
import { overridingRecord, planReversal } from './override.ts'
import { hasSameContent, planBookkeeping, planStep, type PlanCase, type Step } from './plan.ts'
import { compareVersions, dropForeignCounters, editedVersion, isConcurrent, type CountTime } from './version-vector.ts'

export interface ItemEffect {
  readonly effect: Effect
  readonly bytes: number
  /** Where it happens; undefined: here. */
  readonly device?: DeviceId
}

/** The records of one name. */
export interface ItemRecords {
  readonly local: FileHead | undefined
  readonly global: FileHead
  readonly others: ReadonlyMap<DeviceId, FileHead>
}

/** What decides on the steps of a folder. */
export interface FolderRules extends Pick<PlanCase, 'ignoreDelete' | 'keepsConflicts' | 'collects'> {
  /** Files of other devices are written to our disk. */
  readonly takesFiles: boolean
  readonly ignorePerms: boolean
  readonly ignored: boolean
  readonly kept: FileHead | undefined
}

const NONE: readonly ItemEffect[] = []

/** What a pull does with an item, by the decision of the puller itself. */
export function pullEffects(local: FileHead | undefined, global: FileHead, rules: FolderRules): readonly ItemEffect[] {
  const heldElsewhere = global.deleted // needed without a record of ours: held elsewhere
  if (!isNeeded(local, global, heldElsewhere)) return NONE
  if (rules.takesFiles) return stepEffects(planStep({ ...rules, local, global, heldElsewhere }), local, global)
  const { kind } = planBookkeeping({ ...rules, local, global, heldElsewhere }, rules.ignorePerms)
  if (kind === 'collect') return [{ effect: 'collect', bytes: weightBytes(local!) }]
  return kind === 'keep' ? [{ effect: 'leave', bytes: weightBytes(global) }] : NONE
}

function stepEffects(step: Step, local: FileHead | undefined, global: FileHead): readonly ItemEffect[] {
  const ours = isPresent(local) ? local : undefined
  const bytes = weightBytes(global)
  const saved: readonly ItemEffect[] =
    'saveOurs' in step && step.saveOurs && ours !== undefined
      ? [{ effect: 'conflict', bytes: weightBytes(ours) }]
      : NONE
  switch (step.kind) {
    case 'keep':
      return isPresent(local) ? [{ effect: 'leave', bytes: weightBytes(local) }] : NONE
    case 'ignore':
    case 'adopt':
      return NONE
    case 'metadata':
      return [{ effect: 'metadata', bytes: 0 }]
    case 'fetch':
      return [{ effect: ours?.type === 'file' ? 'replace' : 'fetch', bytes }, ...saved]
    case 'make-directory':
    case 'make-symlink':
      return [{ effect: ours?.type === global.type ? 'metadata' : 'make', bytes: 0 }, ...saved]
    case 'collect':
      return [{ effect: 'collect', bytes: weightBytes(local!) }]
    case 'remove':
      return [{ effect: 'delete', bytes: weightBytes(local!) }, ...saved]
  }
}

/** What the devices that share a folder do with a version of ours that wins. */
export function remoteEffects(
  record: FileHead,
  others: ReadonlyMap<DeviceId, FileHead>,
  devices: Iterable<DeviceId>,
): readonly ItemEffect[] {
  const effects: ItemEffect[] = []
  for (const device of devices) {
    const theirs = others.get(device)
    if (!isNeededByRemote(theirs, record)) continue
    const isThere = isPresent(theirs) && !isInvalid(theirs)
    const effect = effectThere(record, isThere ? theirs : undefined)
    effects.push({ effect, bytes: weightBytes(record.deleted && isThere ? theirs : record), device })
    if (isThere && theirs.type === 'file' && effect !== 'metadata' && isConcurrent(record.version, theirs.version))
      effects.push({ effect: 'conflict', bytes: weightBytes(theirs), device })
  }
  return effects
}

function effectThere(record: FileHead, theirs: FileHead | undefined): Effect {
  if (record.deleted) return 'delete'
  if (theirs !== undefined && hasSameContent(theirs, record)) return 'metadata'
  if (record.type !== 'file') return theirs?.type === record.type ? 'metadata' : 'make'
  return theirs?.type === 'file' ? 'replace' : 'fetch'
}

/** What an override does with a needed item: the disk stays as it is, other devices take our state. */
export function overrideEffects(
  { local, global, others }: ItemRecords,
  devices: Iterable<DeviceId>,
  options: CountTime,
): readonly ItemEffect[] {
  const record = overridingRecord(withBlocks(local), withBlocks(global), options)
  return record === undefined
    ? [{ effect: 'leave', bytes: weightBytes(local ?? global) }]
    : [{ effect: 'announce', bytes: weightBytes(record) }, ...remoteEffects(record, others, devices)]
}

export interface ReversalRules extends FolderRules {
  readonly deletable: boolean
}

/** What a revert, and the pull after it, do with a receive-only change. */
export function revertEffects({ local, global }: ItemRecords, rules: ReversalRules): readonly ItemEffect[] {
  if (local === undefined || !isReceiveOnly(local)) return NONE
  const reversal = planReversal(withBlocks(local), withBlocks(global), rules)
  if (reversal.kind === 'record') return pullEffects(reversal.record, global, rules)
  if (rules.ignored && !rules.deletable) return NONE
  return [{ effect: 'delete', bytes: weightBytes(local) }]
}

/** What a new type does with an item: changes that stayed here are announced where the type announces any. */
export function typeEffects(
  { local, global, others }: ItemRecords,
  devices: Iterable<DeviceId>,
  rules: FolderRules & { readonly localChangesStayHere: boolean },
  options: CountTime,
): readonly ItemEffect[] {
  const isReleased = local !== undefined && isReceiveOnly(local) && !rules.localChangesStayHere && !rules.ignored
  if (!isReleased) return pullEffects(local, global, rules)
  const ours = releasedRecord(local, global, options)
  const claims = [...others.values()]
  const winner = [ours, ...claims][findWinner([ours, ...claims])] ?? ours
  if (winner !== ours) return pullEffects(ours, winner, rules)
  return [{ effect: 'announce', bytes: weightBytes(ours) }, ...remoteEffects(ours, others, devices)]
}

/** The record that a scan makes of a receive-only change once the folder announces changes. */
function releasedRecord(local: FileHead, global: FileHead, options: CountTime): FileHead {
  if (local.deleted) return isReceiveOnly(global) ? { ...announcedOf(local), version: [] } : announcedOf(local)
  return { ...local, localFlags: 0, version: editedVersion(dropForeignCounters(local.version, options), options) }
}

/** What is lost here, and what changes here, when a device no longer shares the folder. */
export function unshareEffects(
  { local, global, others }: ItemRecords,
  device: DeviceId,
  rules: FolderRules,
): readonly ItemEffect[] {
  const theirs = others.get(device)
  const effects: ItemEffect[] = []
  if (isNeededByRemote(theirs, global)) effects.push({ effect: 'leave', bytes: weightBytes(global), device })
  const left = [...others].filter(([id]) => id !== device).map(([, record]) => record)
  const claims = local === undefined ? left : [local, ...left]
  const next = claims[findWinner(claims)]
  const wasNeeded = isNeeded(local, global, global.deleted)
  if (next !== undefined && compareVersions(next.version, global.version) === 'equal') return effects
  if (wasNeeded && !global.deleted) effects.push({ effect: 'lose', bytes: weightBytes(global) })
  if (next !== undefined) effects.push(...pullEffects(local, next, rules)) // at most 2
  return effects
}

/** What is out of reach when this device leaves the folder: here, and on each device. */
export function departureEffects(
  { local, global, others }: ItemRecords,
  devices: Iterable<DeviceId>,
): readonly ItemEffect[] {
  if (isNeeded(local, global, false)) return [{ effect: 'leave', bytes: weightBytes(global) }]
  const isElsewhere = [...others.values()].some(
    (record) => !isInvalid(record) && compareVersions(record.version, global.version) === 'equal',
  )
  if (isElsewhere || global.deleted) return NONE
  return [...devices]
    .filter((device) => isNeededByRemote(others.get(device), global))
    .map((device) => ({ effect: 'lose', bytes: weightBytes(global), device }))
}

/** Whether the item of a record is on its disk. */
export function isPresent(record: FileHead | undefined): record is FileHead {
  return record !== undefined && !record.deleted && (record.localFlags & FLAG_IGNORED) === 0
}

export function isReceiveOnly({ localFlags }: Pick<FileHead, 'localFlags'>): boolean {
  return (localFlags & FLAG_RECEIVE_ONLY) !== 0
}

/** Decisions compare heads only. */
function withBlocks<T extends FileHead | undefined>(
  head: T,
): T extends undefined ? undefined : FileHead & { readonly blockHashes: undefined } {
  return (head === undefined ? undefined : { ...head, blockHashes: undefined }) as never
}
