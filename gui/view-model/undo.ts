import type { Config } from '../../src/core/config/config.ts'

/**
 * The current configuration with one change of it undone: what differs between `before` and `after` is again as it was
 * before. All else is kept, also what others have changed since. The settings of this page are not touched: they hold
 * the login.
 */
export function withoutChange(current: Config, before: Config, after: Config): Config {
  return {
    ...current,
    folders: withoutItems(current.folders, before.folders, after.folders, ({ id }) => id),
    devices: withoutItems(current.devices, before.devices, after.devices, ({ deviceID }) => deviceID),
    remoteIgnoredDevices: withoutItems(
      current.remoteIgnoredDevices,
      before.remoteIgnoredDevices,
      after.remoteIgnoredDevices,
      ({ deviceID }) => deviceID,
    ),
    options: withoutFields(current.options, before.options, after.options),
    defaults: withoutFields(current.defaults, before.defaults, after.defaults),
  }
}

/** Whether there is anything to undo. */
export function isChanged(before: Config, after: Config): boolean {
  return !isSame(withoutChange(after, before, after), after)
}

function withoutFields<T extends object>(current: T, before: T, after: T): T {
  const changed = Object.entries(before).filter(([name, value]) => !isSame(value, after[name as keyof T]))
  return { ...current, ...Object.fromEntries(changed) }
}

/** Removed items are added, added ones removed, and changed ones get back their fields. */
function withoutItems<T extends object>(
  current: readonly T[],
  before: readonly T[],
  after: readonly T[],
  idOf: (item: T) => string,
): readonly T[] {
  const [old, fresh] = [byId(before, idOf), byId(after, idOf)]
  const present = byId(current, idOf)
  const kept = current.flatMap((item) => {
    const [was, became] = [old.get(idOf(item)), fresh.get(idOf(item))]
    if (became === undefined) return [item]
    return was === undefined ? [] : [withoutFields(item, was, became)]
  })
  const removed = before.filter((item) => !fresh.has(idOf(item)) && !present.has(idOf(item)))
  return [...kept, ...removed]
}

function byId<T>(items: readonly T[], idOf: (item: T) => string): ReadonlyMap<string, T> {
  return new Map(items.map((item) => [idOf(item), item]))
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
