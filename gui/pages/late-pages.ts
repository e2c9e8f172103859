/** Pages that most visits do without, loaded together: one file is smaller than several. */
export { ChangesPage } from './changes/changes-page.tsx'
export { ConflictsPage } from './conflicts/conflicts-page.tsx'
export { DevicePage } from './device/device-page.tsx'
export { FolderPage } from './folder/folder-page.tsx'
export { LogPage } from './log/log-page.tsx'
export { SettingsPage } from './settings/settings-page.tsx'
