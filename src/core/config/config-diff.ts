import type { Config, DeviceConfig, FolderConfig } from './config.ts'
import type { DeviceId, FolderId } from '../ids.ts'

/** The actions that apply a change of the configuration, in order. */
export type ConfigAction =
  | { readonly kind: 'remove-folder'; readonly id: FolderId }
  | { readonly kind: 'add-folder'; readonly folder: FolderConfig }
  /** A setting of the runner changed: it stops and a new one starts, with a full scan. */
  | { readonly kind: 'restart-folder'; readonly folder: FolderConfig }
  | { readonly kind: 'pause-folder'; readonly folder: FolderConfig }
  | { readonly kind: 'resume-folder'; readonly folder: FolderConfig }
  /** Only display settings changed, or those of a paused folder: nothing restarts. */
  | { readonly kind: 'update-folder'; readonly folder: FolderConfig }
  | { readonly kind: 'remove-device'; readonly id: DeviceId }
  | { readonly kind: 'add-device'; readonly device: DeviceConfig }
  | { readonly kind: 'pause-device'; readonly device: DeviceConfig }
  | { readonly kind: 'resume-device'; readonly device: DeviceConfig }
  | { readonly kind: 'update-device'; readonly device: DeviceConfig }
  /** The GUI listener must be replaced. */
  | { readonly kind: 'rebind-gui' }
  | { readonly kind: 'update-gui' }
  | { readonly kind: 'update-options' }

/** Compares two configurations. Never throws; equal ones give no action. */
export function diffConfigs(from: Config, to: Config): readonly ConfigAction[] {
  return [...diffFolders(from, to), ...diffDevices(from, to), ...diffGui(from, to), ...diffOptions(from, to)]
}

/** Whether part of the change requires a restart. */
export function needsRestart(from: Config, to: Config): boolean {
  const a = from.options
  const b = to.options
  return a.databaseTuning !== b.databaseTuning || a.auditEnabled !== b.auditEnabled || a.auditFile !== b.auditFile
}

function diffFolders(from: Config, to: Config): readonly ConfigAction[] {
  const before = new Map(from.folders.map((folder) => [folder.id, folder]))
  const after = new Set(to.folders.map((folder) => folder.id))
  const removed = from.folders
    .filter((folder) => !after.has(folder.id))
    .map((folder): ConfigAction => ({ kind: 'remove-folder', id: folder.id }))
  const rest = to.folders.flatMap((folder): readonly ConfigAction[] => {
    const old = before.get(folder.id)
    if (old === undefined) return [{ kind: 'add-folder', folder }]
    if (isSame(old, folder)) return []
    if (old.paused !== folder.paused) return [{ kind: folder.paused ? 'pause-folder' : 'resume-folder', folder }]
    const runsAlike = folder.paused || isSame(shownAlike(old), shownAlike(folder))
    return [{ kind: runsAlike ? 'update-folder' : 'restart-folder', folder }]
  })
  return [...removed, ...rest]
}

/** Without the names that are only displayed. */
function shownAlike(folder: FolderConfig): FolderConfig {
  return { ...folder, label: '', group: '' }
}

function diffDevices(from: Config, to: Config): readonly ConfigAction[] {
  const before = new Map(from.devices.map((device) => [device.deviceID, device]))
  const after = new Set(to.devices.map((device) => device.deviceID))
  const removed = from.devices
    .filter((device) => !after.has(device.deviceID))
    .map((device): ConfigAction => ({ kind: 'remove-device', id: device.deviceID }))
  const rest = to.devices.flatMap((device): readonly ConfigAction[] => {
    const old = before.get(device.deviceID)
    if (old === undefined) return [{ kind: 'add-device', device }]
    if (isSame(old, device)) return []
    if (old.paused !== device.paused) return [{ kind: device.paused ? 'pause-device' : 'resume-device', device }]
    return [{ kind: 'update-device', device }]
  })
  return [...removed, ...rest]
}

function diffGui(from: Config, to: Config): readonly ConfigAction[] {
  if (isSame(from.gui, to.gui) && isSame(from.ldap, to.ldap)) return []
  const rebind = (['enabled', 'address', 'useTLS', 'unixSocketPermissions'] as const).some(
    (key) => from.gui[key] !== to.gui[key],
  )
  return [{ kind: rebind ? 'rebind-gui' : 'update-gui' }]
}

function diffOptions(from: Config, to: Config): readonly ConfigAction[] {
  return isSame(from.options, to.options) ? [] : [{ kind: 'update-options' }]
}

/** Configurations are plain data in one key order, so comparing their texts suffices. */
function isSame(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
