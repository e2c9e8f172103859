import type { CauseCode } from './cause.ts'
import { CAUSE_NAMES } from './cause.ts'
import type { Evidence, FilesEvidence, Remedy, RemedyAction, SpaceEvidence } from './remedy.ts'
import { formatSpace } from '../config/disk-space.ts'
import { DEFAULT_MARKER_NAME } from '../folder-stop.ts'

/** A cause and its remedy in English. */
export interface RemedyText {
  /** The cause with its numbers. */
  readonly message: string
  /** What to do; empty where nothing has to be done. */
  readonly remedy: string
}

export function remedyText({ cause, actions, command }: Remedy, evidence: Evidence = {}): RemedyText {
  const todo = actions.map((action) => ACTION_TEXTS[action](evidence)).join('; or ')
  const run = command === undefined ? '' : `: ${command}`
  return { message: messageFor(cause, evidence), remedy: `${todo}${run}` }
}

function messageFor(cause: CauseCode, { files, path, space, watches }: Evidence): string {
  const name = CAUSE_NAMES[cause]
  if (cause === 'marker' && files !== undefined) return `${name}: ${filesText(files, path)}`
  if (cause === 'missing' && path !== undefined) return `the disk is not mounted at ${path}, or the directory was moved`
  if ((cause === 'lowSpace' || cause === 'lowHome') && space !== undefined) return spaceText(cause, space)
  if (cause === 'full' && space !== undefined) return `${name}: ${formatSpace(space.freeBytes)} are free`
  if (cause === 'watches' && watches?.allowed !== undefined)
    return `${name}: ${watches.allowed} for all programs of a user (${watches.setting})`
  return name
}

function filesText({ hasRoot, known, examined, found, markerName }: FilesEvidence, path = ''): string {
  if (!hasRoot) return `the disk is not mounted at ${path}`
  if (known === 0) return `${path} has no ${markerName}, and no file of it is known`
  if (found === 0) return `none of ${examined} known files is at ${path}: the disk is probably not mounted there`
  return `${found} of ${examined} known files are at ${path}`
}

function spaceText(cause: CauseCode, { freeBytes, totalBytes, minimum }: SpaceEvidence): string {
  const who = cause === 'lowHome' ? 'the database' : 'this folder'
  const share = totalBytes > 0 ? ` (${((100 * Math.max(0, freeBytes)) / totalBytes).toFixed(1)} %)` : ''
  return `${formatSpace(freeBytes)}${share} free, ${who} keeps ${`${minimum.value} ${minimum.unit}`.trim()} free`
}

const ACTION_TEXTS: Readonly<Record<RemedyAction, (evidence: Evidence) => string>> = {
  'create-marker': ({ files }) => `create the marker (directory ${files?.markerName ?? DEFAULT_MARKER_NAME})`,
  'create-marker-anyway': () => 'if the missing files were deleted on purpose, create the marker all the same',
  mount: ({ path }) => (path === undefined ? 'mount the disk' : `mount the disk at ${path}`),
  'choose-place': () => 'choose the new place of the folder',
  'change-minimum': () => 'change the minimum that the folder keeps free',
  'change-home-minimum': () => 'change the minimum that the database keeps free',
  'make-room': () => 'make room on the disk',
  'raise-watches': () => 'raise the limit of watches',
  'change-owner': () => 'change the owner or the permissions',
  'mount-writable': () => 'mount the disk read-write',
  rename: () => 'rename it on the device that it comes from, or ignore it',
  'check-disk': () => 'back up what is readable and check the disk',
  retry: () => 'retry',
}
