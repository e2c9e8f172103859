import type { Config, DeviceConfig, FolderConfig } from './config.ts'
import type { FolderId } from '../ids.ts'

/** The actions that apply a change of the configuration to folders, in order. */
export type FolderAction =
  | { readonly kind: 'remove-folder'; readonly id: FolderId }
  | { readonly kind: 'add-folder'; readonly folder: FolderConfig }
  /** The folder stops and starts again with its new settings and a full scan. */
  | { readonly kind: 'restart-folder'; readonly folder: FolderConfig }
  | { readonly kind: 'pause-folder'; readonly folder: FolderConfig }
  | { readonly kind: 'resume-folder'; readonly folder: FolderConfig }

/** Whether part of the change requires a restart. */
export function needsRestart(from: Config, to: Config): boolean {
  const a = from.options
  const b = to.options
  return a.databaseTuning !== b.databaseTuning || a.auditEnabled !== b.auditEnabled || a.auditFile !== b.auditFile
}

/** Whether the change does nothing but resume devices. */
export function isResumeOnly(from: Config, to: Config): boolean {
  const changed = pausedOrResumed(from, to)
  if (changed.length === 0 || changed.some(({ paused }) => paused)) return false
  const paused = new Map(to.devices.map((device) => [device.deviceID, device.paused]))
  const devices = from.devices.map((device) => ({ ...device, paused: paused.get(device.deviceID) ?? device.paused }))
  return isSame({ ...from, devices }, to)
}

/** Compares the folders of two configurations. Equal ones give no action. */
export function diffFolders(from: Config, to: Config): readonly FolderAction[] {
  const before = new Map(from.folders.map((folder) => [folder.id, folder]))
  const after = new Set(to.folders.map((folder) => folder.id))
  const removed = from.folders
    .filter((folder) => !after.has(folder.id))
    .map((folder): FolderAction => ({ kind: 'remove-folder', id: folder.id }))
  const rest = to.folders.flatMap((folder): readonly FolderAction[] => {
    const old = before.get(folder.id)
    if (old === undefined) return [{ kind: 'add-folder', folder }]
    if (isSame(old, folder)) return []
    if (old.paused !== folder.paused) return [{ kind: folder.paused ? 'pause-folder' : 'resume-folder', folder }]
    // Display settings are read when they are used; those of a paused folder when it is resumed.
    const runsTheSame = folder.paused || isSame(withoutShownFields(old), withoutShownFields(folder))
    return runsTheSame ? [] : [{ kind: 'restart-folder', folder }]
  })
  return [...removed, ...rest]
}

/** Without the names that are only displayed. */
function withoutShownFields(folder: FolderConfig): FolderConfig {
  return { ...folder, label: '', group: '' }
}

/** The devices that a change pauses or resumes, as they are after it. */
export function pausedOrResumed(from: Config, to: Config): readonly DeviceConfig[] {
  const before = new Map(from.devices.map((device) => [device.deviceID, device]))
  return to.devices.filter((device) => (before.get(device.deviceID)?.paused ?? device.paused) !== device.paused)
}

/** Configurations are plain data in one key order, so comparing their texts suffices. */
function isSame(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
