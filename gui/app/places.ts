import type { IconName } from '../ui/icon.tsx'
import type { TextKey } from '../i18n/texts.ts'

/** A page that the side bar leads to; the first part of its address is empty for the overview. */
export interface MainPlace {
  readonly place: string
  readonly icon: IconName
  readonly word: TextKey
}

export const PLACES: readonly MainPlace[] = [
  { place: '', icon: 'overview', word: 'nav.overview' },
  { place: 'attention', icon: 'warning', word: 'nav.attention' },
  { place: 'conflicts', icon: 'copy', word: 'nav.conflicts' },
  { place: 'folders', icon: 'folder', word: 'nav.folders' },
  { place: 'devices', icon: 'device', word: 'nav.devices' },
  { place: 'changes', icon: 'changes', word: 'nav.changes' },
  { place: 'log', icon: 'log', word: 'nav.log' },
  { place: 'settings', icon: 'settings', word: 'nav.settings' },
]
