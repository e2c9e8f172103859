import type { FolderConfig } from '../../src/core/config/config.ts'
import { lookUp } from '../base/look-up.ts'
import { isTime } from '../base/moments.ts'
import type { TextKey } from '../i18n/texts.ts'
import type { LiveState } from '../live/state.ts'
import { folderState } from './folder-state.ts'

export function folderById(state: LiveState, id: string): FolderConfig | undefined {
  return state.config?.folders.find((each) => each.id === id)
}

/** Why the items of a folder may not be as they are shown; undefined while the folder follows them. */
export function lastKnownCode(state: LiveState, folder: FolderConfig | undefined): 'paused' | 'stopped' | undefined {
  if (folder === undefined) return undefined
  if (folder.paused) return 'paused'
  return folderState(state, folder).code === 'stopped' ? 'stopped' : undefined
}

/** What is said where no item is known. A folder is called empty only after a scan has found nothing. */
export function noItemsText(state: LiveState, folder: FolderConfig): TextKey {
  const isScanned = isTime(Date.parse(lookUp(state.folderStats, folder.id)?.lastScan ?? ''))
  const code = lastKnownCode(state, folder)
  if (code === 'stopped') return 'files.noneKnown'
  if (code === 'paused') return isScanned ? 'files.noneKnown' : 'files.pausedUnscanned'
  return isScanned ? 'files.empty' : 'files.unscanned'
}
