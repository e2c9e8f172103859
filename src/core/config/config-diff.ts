import type { Config, DeviceConfig, FolderConfig } from './config.ts'
import type { FolderId } from '../ids.ts'

/** The actions that apply a change of the configuration to folders and devices, in order. */
export type ConfigAction =
  | { readonly kind: 'remove-folder'; readonly id: FolderId }
  | { readonly kind: 'add-folder'; readonly folder: FolderConfig }
  /** The folder stops and starts again with its new settings and a full scan. */
  | { readonly kind: 'restart-folder'; readonly folder: FolderConfig }
  | { readonly kind: 'pause-folder'; readonly folder: FolderConfig }
  | { readonly kind: 'resume-folder'; readonly folder: FolderConfig }
  | { readonly kind: 'pause-device'; readonly device: DeviceConfig }
  | { readonly kind: 'resume-device'; readonly device: DeviceConfig }

/** Compares two configurations. Never throws; equal ones give no action. */
export function diffConfigs(from: Config, to: Config): readonly ConfigAction[] {
  return [...diffFolders(from, to), ...diffDevices(from, to)]
}

/** Whether part of the change requires a restart. */
export function needsRestart(from: Config, to: Config): boolean {
  const a = from.options
  const b = to.options
  return a.databaseTuning !== b.databaseTuning || a.auditEnabled !== b.auditEnabled || a.auditFile !== b.auditFile
}

/** Whether the change does nothing but resume devices. */
export function isResumeOnly(from: Config, to: Config): boolean {
  const actions = diffDevices(from, to)
  if (actions.length === 0 || actions.some(({ kind }) => kind !== 'resume-device')) return false
  const paused = new Map(to.devices.map((device) => [device.deviceID, device.paused]))
  const devices = from.devices.map((device) => ({ ...device, paused: paused.get(device.deviceID) ?? device.paused }))
  return isSame({ ...from, devices }, to)
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
    // Display settings are read when they are used; those of a paused folder when it is resumed.
    const runsAlike = folder.paused || isSame(shownAlike(old), shownAlike(folder))
    return runsAlike ? [] : [{ kind: 'restart-folder', folder }]
  })
  return [...removed, ...rest]
}

/** Without the names that are only displayed. */
function shownAlike(folder: FolderConfig): FolderConfig {
  return { ...folder, label: '', group: '' }
}

function diffDevices(from: Config, to: Config): readonly ConfigAction[] {
  const before = new Map(from.devices.map((device) => [device.deviceID, device]))
  return to.devices
    .filter((device) => (before.get(device.deviceID)?.paused ?? device.paused) !== device.paused)
    .map((device) => ({ kind: device.paused ? 'pause-device' : 'resume-device', device }))
}

/** Configurations are plain data in one key order, so comparing their texts suffices. */
function isSame(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
