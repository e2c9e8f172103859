import type { Config } from './config.ts'
import { FOLDER_EXTENSIONS, type Extensions, type ExtensionsPatch, type FolderExtensions } from './extensions.ts'

/** The result of an undo: what is in force then, or what was changed since and keeps it from being undone. */
export type Undone<T> =
  | { readonly kind: 'undone'; readonly next: T }
  | { readonly kind: 'changed'; readonly what: string }

/** What keeps a change from being undone. */
class ChangedSince {
  readonly what: string

  constructor(what: string) {
    this.what = what
  }
}

/**
 * The current configuration with one change of it undone: what differs between `before` and `after` is again as it was
 * before. All else is kept, also what others have changed since, unless it is a part of the change itself. The settings
 * of the page are not touched: they hold the login.
 */
export function withoutChange(current: Config, before: Config, after: Config): Undone<Config> {
  const list = <T extends object>(kind: string, lists: (config: Config) => readonly T[], idOf: (item: T) => string) =>
    withoutItems(kind, lists(current), lists(before), lists(after), idOf)
  return unlessChanged(() => ({
    ...current,
    folders: list(
      'folder',
      ({ folders }) => folders,
      ({ id }) => id,
    ),
    devices: list(
      'device',
      ({ devices }) => devices,
      ({ deviceID }) => deviceID,
    ),
    remoteIgnoredDevices: list(
      'ignored device',
      ({ remoteIgnoredDevices }) => remoteIgnoredDevices,
      ({ deviceID }) => deviceID,
    ),
    options: withoutFields('option', current.options, before.options, after.options),
    defaults: withoutFields('default', current.defaults, before.defaults, after.defaults),
  }))
}

/** Whether there is anything to undo. */
export function isConfigChanged(before: Config, after: Config): boolean {
  const undone = withoutChange(after, before, after)
  return undone.kind === 'undone' && !isSame(undone.next, after)
}

const SWITCHES = ['drive', 'meteredLocalOnly', 'inhibitSleep'] as const

/** The patch that undoes a change of the settings that Syncthing does not have. */
export function settingsUndo(current: Extensions, before: Extensions, after: Extensions): Undone<ExtensionsPatch> {
  const settings = (from: Extensions, id: string): FolderExtensions => from.folders[id] ?? FOLDER_EXTENSIONS
  const ids = new Set([...Object.keys(before.folders), ...Object.keys(after.folders)])
  return unlessChanged(() => {
    const switches = SWITCHES.filter((name) => before[name] !== after[name])
    const changed = switches.find((name) => current[name] !== after[name])
    if (changed !== undefined) throw new ChangedSince(`the setting ${changed}`)
    const folders = [...ids].flatMap((id) => {
      const [was, became] = [settings(before, id), settings(after, id)]
      if (isSame(was, became)) return []
      return [[id, withoutFields(`folder ${id}`, settings(current, id), was, became)] as const]
    })
    return { ...Object.fromEntries(switches.map((name) => [name, before[name]])), folders: Object.fromEntries(folders) }
  })
}

function unlessChanged<T>(make: () => T): Undone<T> {
  try {
    return { kind: 'undone', next: make() }
  } catch (error) {
    if (error instanceof ChangedSince) return { kind: 'changed', what: error.what }
    throw error
  }
}

function withoutFields<T extends object>(kind: string, current: T, before: T, after: T): T {
  const changed = Object.entries(before).filter(([name, value]) => !isSame(value, after[name as keyof T]))
  for (const [name] of changed) {
    if (!isSame(current[name as keyof T], after[name as keyof T])) throw new ChangedSince(`${kind}: ${name}`)
  }
  return { ...current, ...Object.fromEntries(changed) }
}

/** Removed items are added, added ones removed, and changed ones get back their fields. */
function withoutItems<T extends object>(
  kind: string,
  current: readonly T[],
  before: readonly T[],
  after: readonly T[],
  idOf: (item: T) => string,
): readonly T[] {
  const [old, fresh, present] = [byId(before, idOf), byId(after, idOf), byId(current, idOf)]
  for (const [id, became] of fresh) {
    const was = old.get(id)
    const isTouched = was === undefined || !isSame(was, became)
    const now = present.get(id)
    if (isTouched && now === undefined) throw new ChangedSince(`${kind} ${id}`)
    if (was === undefined && !isSame(now, became)) throw new ChangedSince(`${kind} ${id}`)
  }
  const next = current.flatMap((item) => {
    const [was, became] = [old.get(idOf(item)), fresh.get(idOf(item))]
    if (became === undefined) return [item]
    return was === undefined ? [] : [withoutFields(`${kind} ${idOf(item)}`, item, was, became)]
  })
  for (const [place, item] of before.entries()) {
    const id = idOf(item)
    if (fresh.has(id)) continue
    if (present.has(id)) throw new ChangedSince(`${kind} ${id}`)
    next.splice(place, 0, item)
  }
  return next
}

function byId<T>(items: readonly T[], idOf: (item: T) => string): ReadonlyMap<string, T> {
  return new Map(items.map((item) => [idOf(item), item]))
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
