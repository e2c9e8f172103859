import { TwinfoldError } from '../errors.ts'
import type { FolderId } from '../ids.ts'
import { parseRules, type ScheduleRule } from '../schedule/rule.ts'
import {
  mergeModeProblem,
  mergeProgramsProblem,
  mergeUnionProblem,
  type MergeMode,
  type MergePrograms,
} from './merge-settings.ts'

type Fields = Readonly<Record<string, unknown>>

/** The settings of one folder that Syncthing does not have. */
export interface FolderExtensions {
  /** Files that other devices delete stay here. */
  readonly collect: boolean
  /** The patterns of `.stglobalignore`, a file of the folder, are in force here. */
  readonly sharedIgnores: boolean
  /** An unusual number of deletions is held until the user decides. */
  readonly guard: boolean
  /** The share of the disk that old versions may have, the oldest are removed first; 0 is unlimited. */
  readonly versionsPercentMax: number
  /** Local deletions and edits are archived too, where the file system clones files. */
  readonly archiveLocal: boolean
  /** Folders with a higher number download first; the others still progress. */
  readonly priority: number
  /** The folder is paused while the machine runs on its battery. */
  readonly pauseOnBattery: boolean
  /** What is done with conflicting edits of a text whose changes do not overlap. */
  readonly merge: MergeMode
  /** Patterns of names in which both additions are kept. */
  readonly mergeUnion: readonly string[]
  readonly mergePrograms: MergePrograms
}

/** The settings that Syncthing does not have. They are not in `config.xml`, from which Syncthing would remove them. */
export interface Extensions {
  /** Folders are served as a read-only network drive. */
  readonly drive: boolean
  /** While the connection to the Internet is metered, only devices at local addresses are connected. */
  readonly meteredLocalOnly: boolean
  /** The machine does not sleep by itself while something is transferred. */
  readonly inhibitSleep: boolean
  /** Weekly rules for pauses and rates. */
  readonly schedule: readonly ScheduleRule[]
  /** Folders with settings other than the defaults. */
  readonly folders: Readonly<Record<string, FolderExtensions>>
}

/** A change: absent fields stay as they are. */
export interface ExtensionsPatch {
  readonly drive?: boolean | undefined
  readonly meteredLocalOnly?: boolean | undefined
  readonly inhibitSleep?: boolean | undefined
  readonly schedule?: readonly ScheduleRule[] | undefined
  readonly folders?: Readonly<Record<string, Partial<FolderExtensions>>> | undefined
}

export const FOLDER_EXTENSIONS: FolderExtensions = Object.freeze({
  collect: false,
  sharedIgnores: false,
  guard: false,
  versionsPercentMax: 0,
  archiveLocal: false,
  priority: 0,
  pauseOnBattery: false,
  merge: 'off',
  mergeUnion: Object.freeze([]),
  mergePrograms: Object.freeze({}),
})
export const EXTENSIONS: Extensions = Object.freeze({
  drive: false,
  meteredLocalOnly: false,
  inhibitSleep: false,
  schedule: Object.freeze([]),
  folders: Object.freeze({}),
})
/** Priorities are between this and its negative. */
export const PRIORITY_MAX = 100

/** The settings of a folder, which are the defaults for one that has none. */
export function folderExtensions(extensions: Pick<Extensions, 'folders'>, folder: FolderId): FolderExtensions {
  return Object.hasOwn(extensions.folders, folder) ? extensions.folders[folder]! : FOLDER_EXTENSIONS
}

export function patchExtensions(current: Extensions, patch: ExtensionsPatch): Extensions {
  const folders = new Map(Object.entries(current.folders))
  for (const [id, part] of Object.entries(patch.folders ?? {})) {
    const unknown = Object.keys(part).find((name) => !(name in FOLDER_EXTENSIONS))
    if (unknown !== undefined)
      throw new TwinfoldError('bad-request', `folders.${id}.${unknown}: there is no such setting`)
    for (const [name, value] of Object.entries(part)) {
      const problem = folderSettingProblem(name as keyof FolderExtensions, value)
      if (problem !== undefined) throw new TwinfoldError('bad-request', `folders.${id}.${name} ${problem}`)
    }
    const changed = { ...(folders.get(id) ?? FOLDER_EXTENSIONS), ...part }
    if (isDefault(changed)) folders.delete(id)
    else folders.set(id, changed)
  }
  return {
    drive: patch.drive ?? current.drive,
    meteredLocalOnly: patch.meteredLocalOnly ?? current.meteredLocalOnly,
    inhibitSleep: patch.inhibitSleep ?? current.inhibitSleep,
    schedule: patch.schedule ?? current.schedule,
    folders: Object.fromEntries(folders),
  }
}

/** Reads the settings from their file. A value of a wrong type is refused; fields of a later version are ignored. */
export function parseExtensions(fields: Fields): Extensions {
  const folders = objectAt(fields, 'folders', 'folders')
  const read = Object.keys(folders).map((id) => [id, parseFolder(objectAt(folders, id, `folders.${id}`), id)] as const)
  return {
    drive: flagAt(fields, 'drive', 'drive'),
    meteredLocalOnly: flagAt(fields, 'meteredLocalOnly', 'meteredLocalOnly'),
    inhibitSleep: flagAt(fields, 'inhibitSleep', 'inhibitSleep'),
    schedule: parseRules(Object.hasOwn(fields, 'schedule') ? fields['schedule'] : [], 'schedule'),
    folders: Object.fromEntries(read),
  }
}

/** The fields of the file with these settings; those of a later version stay as they were in it. */
export function extensionFields(extensions: Extensions, before: Fields): Fields {
  const earlier = objectAt(before, 'folders', 'folders')
  const ids = new Set([...Object.keys(earlier), ...Object.keys(extensions.folders)])
  const folders = [...ids].flatMap((id) => {
    const merged = { ...objectAt(earlier, id, id), ...folderExtensions(extensions, id as FolderId) }
    const isKnownOnly = Object.keys(merged).every((name) => name in FOLDER_EXTENSIONS)
    return isKnownOnly && !Object.hasOwn(extensions.folders, id) ? [] : [[id, merged] as const]
  })
  return { ...before, ...extensions, folders: Object.fromEntries(folders) }
}

function parseFolder(fields: Fields, id: string): FolderExtensions {
  const settings = Object.entries(FOLDER_EXTENSIONS).map(([name, normal]) => {
    const value: unknown = Object.hasOwn(fields, name) ? fields[name] : normal
    const problem = folderSettingProblem(name as keyof FolderExtensions, value)
    if (problem !== undefined) throw invalid(`folders.${id}.${name} ${problem}`)
    return [name, value] as const
  })
  return Object.fromEntries(settings) as unknown as FolderExtensions
}

/** What is wrong with a value, for a sentence that begins with the setting; undefined if it can be used. */
export function folderSettingProblem(name: keyof FolderExtensions, value: unknown): string | undefined {
  switch (name) {
    case 'merge':
      return mergeModeProblem(value)
    case 'mergeUnion':
      return mergeUnionProblem(value)
    case 'mergePrograms':
      return mergeProgramsProblem(value)
    case 'priority':
      return Number.isInteger(value) && Math.abs(value as number) <= PRIORITY_MAX
        ? undefined
        : `is not a whole number from -${PRIORITY_MAX} to ${PRIORITY_MAX}`
    case 'versionsPercentMax':
      return typeof value === 'number' && value >= 0 && value <= 100 ? undefined : 'is not a percentage'
    default:
      return typeof value === 'boolean' ? undefined : 'is neither true nor false'
  }
}

function objectAt(fields: Fields, name: string, path: string): Fields {
  const value = Object.hasOwn(fields, name) ? fields[name] : {}
  if (!isObject(value)) throw invalid(`${path} is not an object`)
  return value
}

function flagAt(fields: Fields, name: string, path: string): boolean {
  const value = Object.hasOwn(fields, name) ? fields[name] : false
  if (typeof value !== 'boolean') throw invalid(`${path} is neither true nor false`)
  return value
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Lists and objects are compared by what they hold. */
export function isDefaultSetting(name: keyof FolderExtensions, value: unknown): boolean {
  return JSON.stringify(value) === JSON.stringify(FOLDER_EXTENSIONS[name])
}

function isDefault(settings: FolderExtensions): boolean {
  const names = Object.keys(FOLDER_EXTENSIONS) as (keyof FolderExtensions)[]
  return names.every((name) => isDefaultSetting(name, settings[name]))
}

function invalid(message: string): TwinfoldError {
  return new TwinfoldError('config-invalid', message)
}
