import type { Size } from '../config/config.ts'
import { DEFAULT_MARKER_NAME } from '../folder-stop.ts'
import type { CauseCode } from './cause.ts'

/** What is known about a cause. Each part is there only where it was found out. */
export interface Evidence {
  /** The directory of the folder. */
  readonly path?: string
  readonly files?: FilesEvidence
  readonly space?: SpaceEvidence
  readonly watches?: WatchEvidence
}

/** The files that the index lists as ours, looked up in the directory. */
export interface FilesEvidence {
  readonly markerName: string
  /** Whether the directory is there. */
  readonly hasRoot: boolean
  /** All files that the index lists. */
  readonly known: number
  /** Those that were looked up, and those of them that are there. */
  readonly examined: number
  readonly found: number
}

export interface SpaceEvidence {
  readonly freeBytes: number
  readonly totalBytes: number
  /** What the folder, or the home, keeps free. */
  readonly minimum: Size
}

/** A limit of the system for watches. */
export interface WatchEvidence {
  /** Its name for `sysctl`. */
  readonly setting: string
  readonly allowed: number | undefined
}

/**
 * What solves a cause. `create-marker`: the files are there; `create-marker-anyway`: some are missing and would count
 * as deleted; `mount`: attach the disk at its path; `choose-place`: the files are at another path.
 */
export type RemedyAction =
  | 'create-marker'
  | 'create-marker-anyway'
  | 'mount'
  | 'choose-place'
  | 'change-minimum'
  | 'change-home-minimum'
  | 'make-room'
  | 'raise-watches'
  | 'change-owner'
  | 'mount-writable'
  | 'rename'
  | 'check-disk'
  | 'retry'

/** A cause with what solves it. */
export interface Remedy {
  readonly cause: CauseCode
  /** The best first; none where nothing has to be done. */
  readonly actions: readonly RemedyAction[]
  /** A line for a shell that a button cannot do. */
  readonly command: string | undefined
}

/** What is done by the program or by another device; `retry` only where it can succeed after the first action. */
const ACTIONS: Readonly<Record<CauseCode, readonly RemedyAction[]>> = {
  noSource: [],
  marker: ['mount', 'choose-place', 'create-marker-anyway'],
  missing: ['mount', 'choose-place'],
  notDirectory: ['choose-place', 'retry'],
  replaced: ['retry', 'choose-place'],
  watches: ['raise-watches'],
  lowSpace: ['change-minimum', 'make-room'],
  lowHome: ['change-home-minimum', 'make-room'],
  full: ['make-room', 'retry'],
  permission: ['change-owner', 'retry'],
  readOnly: ['mount-writable', 'retry'],
  io: ['check-disk', 'retry'],
  tooMany: ['retry'],
  longName: ['rename'],
  notEmpty: ['retry'],
  case: ['rename'],
  badName: ['rename'],
  changed: ['retry'],
  other: ['retry'],
}

/** Decides what solves a cause. */
export function remedyOf(cause: CauseCode, evidence: Evidence = {}): Remedy {
  return { cause, actions: actionsFor(cause, evidence), command: commandFor(cause, evidence) }
}

function actionsFor(cause: CauseCode, { files }: Evidence): readonly RemedyAction[] {
  if (cause !== 'marker' || files === undefined) return ACTIONS[cause]
  if (!files.hasRoot) return ACTIONS.missing
  if (files.markerName !== DEFAULT_MARKER_NAME) return ACTIONS.missing // chosen by the user
  if (areFilesThere(files)) return ['create-marker']
  return files.found === 0 ? ACTIONS.marker : ['create-marker-anyway', 'mount', 'choose-place']
}

/** Whether a new marker can lose nothing: all known files are there, or none is known. */
export function areFilesThere({ hasRoot, known, examined, found }: FilesEvidence): boolean {
  return hasRoot && found === examined && (examined > 0 || known === 0)
}

const WATCHES_MIN = 524_288
const INSTANCES_MIN = 1_024
/** Survives a restart of the machine. */
const SYSCTL_FILE = '/etc/sysctl.d/60-twinfold.conf'

function commandFor(cause: CauseCode, { path, watches }: Evidence): string | undefined {
  switch (cause) {
    case 'watches':
      return watches && raiseLine(watches)
    case 'permission':
      return path === undefined ? undefined : `sudo chown -R "$(id -un)" ${quoted(path)}`
    case 'readOnly':
      return path === undefined ? undefined : `sudo mount -o remount,rw "$(findmnt -no TARGET -T ${quoted(path)})"`
    default:
      return undefined
  }
}

/** Twice what is allowed, and what the programs of a desktop need at least. */
function raiseLine({ setting, allowed = 0 }: WatchEvidence): string {
  const wanted = Math.max(2 * allowed, setting.endsWith('instances') ? INSTANCES_MIN : WATCHES_MIN)
  return `echo ${setting}=${wanted} | sudo tee ${SYSCTL_FILE} && sudo sysctl -p ${SYSCTL_FILE}`
}

/** As one word of a POSIX shell: everything between single quotes is literal. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}

/** The limit that a failed watch names; undefined where it failed for another reason. REST has only texts. */
export function watchLimitOf(watchError: string): WatchEvidence | undefined {
  const setting = /\braise ((?:fs|user)\.[\w.]+)/.exec(watchError)?.[1]
  if (setting === undefined) return undefined
  const allowed = /\ballows (\d+)\b/.exec(watchError)?.[1]
  return { setting, allowed: allowed === undefined ? undefined : Number(allowed) }
}
