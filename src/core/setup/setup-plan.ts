import { hash } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { removeDevice, removeFolder } from '../config/config-edit.ts'
import type { DeviceId, FolderId } from '../ids.ts'
import type { Setup } from './setup-file.ts'
import { setupValues, withSetup, type SetupState, type SetupValue } from './setup-values.ts'

/** What earlier files made and set, by the path of a value. */
export interface AppliedSetup {
  /** Objects that did not exist before. */
  readonly made: readonly string[]
  /** The values, those of secrets as a hash. */
  readonly values: Readonly<Record<string, string>>
}

export const NOTHING_APPLIED: AppliedSetup = Object.freeze({ made: [], values: {} })

export interface SetupChange {
  readonly action: 'add' | 'change' | 'remove'
  readonly path: string
  readonly object: string
  readonly field: string
  /** As JSON; undefined where there is none, or where it is a secret. */
  readonly from: string | undefined
  readonly to: string | undefined
  readonly isSecret: boolean
}

export interface SetupPlan {
  readonly changes: readonly SetupChange[]
  /** Changed here since the file set it, and therefore left as it is. */
  readonly drift: readonly SetupChange[]
  /** Made by an earlier file and not in this one, and therefore removed if that is wanted. */
  readonly leftovers: readonly SetupChange[]
  readonly next: SetupState
  /** To be stored when everything is applied. */
  readonly applied: AppliedSetup
}

export interface SetupOptions {
  readonly prune: boolean
  readonly resetDrift: boolean
  /** The form in which the store keeps a configuration. */
  normalise(config: Config): Config
  hashOf(key: string): string
}

/** Compares a file with the state and with what was applied before. Throws `bad-request` for a wrong type. */
export function planSetup(setup: Setup, state: SetupState, before: AppliedSetup, options: SetupOptions): SetupPlan {
  const normalised = (next: SetupState): SetupState => ({ ...next, config: options.normalise(next.config) })
  const target = normalised(withSetup(setup, state, () => true, options.hashOf))
  const current = setupValues(setup, state)
  const wanted = new Map(setupValues(setup, target).map((value) => [value.path, value]))
  const changes: SetupChange[] = []
  const drift: SetupChange[] = []
  for (const value of current) {
    const to = wanted.get(value.path)?.value
    if (value.value === to) continue
    const change = changeOf(value, to)
    if (isInside(value.path, drift)) continue
    const isDrift = before.values[value.path] === stored(value, to)
    if (isDrift && !options.resetDrift) drift.push(change)
    else changes.push(change)
  }
  const left = before.made.filter((path) => !wanted.has(path))
  const isPart = (path: string) => left.some((each) => path.startsWith(`${each}/`))
  const leftovers = left.filter((path) => !isPart(path)).flatMap((path) => leftover(path, state))
  const taken = new Set(changes.map(({ path }) => path))
  const added = withSetup(setup, state, (path) => taken.has(path), options.hashOf)
  const pruned = options.prune ? leftovers.reduce(without, added) : added
  const made = new Set([...before.made, ...changes.filter(isNewObject).map(({ path }) => path)])
  for (const { path } of options.prune ? leftovers : []) made.delete(path)
  return {
    changes: options.prune ? [...changes, ...leftovers] : changes,
    drift,
    leftovers: options.prune ? [] : leftovers,
    next: normalised(pruned),
    applied: {
      made: [...made].filter((path) => wanted.has(path) || (!options.prune && exists(path, state))),
      values: Object.fromEntries([...wanted.values()].map((value) => [value.path, stored(value, value.value)])),
    },
  }
}

/** An object that was removed here stays removed with all that it has. */
function isInside(path: string, drift: readonly SetupChange[]): boolean {
  return drift.some((each) => each.from === undefined && path.startsWith(`${each.path}/`))
}

function isNewObject({ action, path, field }: SetupChange): boolean {
  return action === 'add' && (field === '' || /^folders\/[^/]*\/devices\/[^/]*$/.test(path))
}

function changeOf({ path, object, field, value, isSecret }: SetupValue, to: string | undefined): SetupChange {
  const [from, next] = isSecret ? [undefined, undefined] : [value, to]
  return { action: value === undefined ? 'add' : 'change', path, object, field, from, to: next, isSecret }
}

function stored({ isSecret }: SetupValue, value: string | undefined): string {
  return value === undefined ? '' : isSecret ? hash('sha256', value) : value
}

interface Named {
  readonly kind: 'device' | 'folder' | 'share' | 'key' | 'rule' | 'hook'
  readonly id: string
  readonly device: string
}

function named(path: string): Named | undefined {
  const [section = '', part = '', devices, device = ''] = path.split('/')
  const id = decodeURIComponent(part)
  if (section === 'folders' && devices === 'devices') return { kind: 'share', id, device }
  const kind = ({ devices: 'device', folders: 'folder', keys: 'key', schedule: 'rule', hooks: 'hook' } as const)[
    section
  ]
  return kind === undefined ? undefined : { kind, id, device }
}

function exists(path: string, { config, keys, extensions, hooks }: SetupState): boolean {
  const object = named(path)
  switch (object?.kind) {
    case 'device':
      return config.devices.some(({ deviceID }) => deviceID === object.id)
    case 'folder':
      return config.folders.some(({ id }) => id === object.id)
    case 'share': {
      const folder = config.folders.find(({ id }) => id === object.id)
      return folder?.devices.some(({ deviceID }) => deviceID === object.device) ?? false
    }
    case 'key':
      return keys.some(({ kind, name }) => kind === 'key' && name === object.id)
    case 'rule':
      return extensions.schedule.some(({ name }) => name === object.id)
    case 'hook':
      return hooks.some(({ name }) => name === object.id)
    case undefined:
      return false
  }
}

function leftover(path: string, state: SetupState): readonly SetupChange[] {
  const object = named(path)
  if (object === undefined || !exists(path, state)) return []
  const { config } = state
  const nameOf = (device: string) => config.devices.find(({ deviceID }) => deviceID === device)?.name ?? device
  const [text, field] =
    object.kind === 'share'
      ? [`folder ${object.id}`, `shared with ${nameOf(object.device)}`]
      : [`${object.kind} ${object.kind === 'device' ? nameOf(object.id) : object.id}`, '']
  return [{ action: 'remove', path, object: text, field, from: undefined, to: undefined, isSecret: false }]
}

function without(state: SetupState, { path }: SetupChange): SetupState {
  const object = named(path)
  const { config } = state
  switch (object?.kind) {
    case 'device':
      return { ...state, config: removeDevice(config, object.id as DeviceId) }
    case 'folder':
      return { ...state, config: removeFolder(config, object.id as FolderId) }
    case 'share': {
      const folders = config.folders.map((folder) =>
        folder.id === object.id
          ? { ...folder, devices: folder.devices.filter(({ deviceID }) => deviceID !== object.device) }
          : folder,
      )
      return { ...state, config: { ...config, folders } }
    }
    case 'key':
      return { ...state, keys: state.keys.filter(({ kind, name }) => kind !== 'key' || name !== object.id) }
    case 'rule': {
      const schedule = state.extensions.schedule.filter(({ name }) => name !== object.id)
      return { ...state, extensions: { ...state.extensions, schedule } }
    }
    case 'hook':
      return { ...state, hooks: state.hooks.filter(({ name }) => name !== object.id) }
    case undefined:
      return state
  }
}
