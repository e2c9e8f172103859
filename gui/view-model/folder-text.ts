import type { LiveState } from '../live/state.ts'
import { t } from '../i18n/texts.ts'
import { deviceNameById } from './device.ts'
import type { FolderState } from './folder-state.ts'
import { formatPercent } from '../i18n/format.ts'

/** The state of a folder as text. */
export function folderText(facts: FolderState, live: LiveState): string {
  const { code, cause, fraction } = facts
  switch (code) {
    case 'stopped':
      return t(`cause.${cause ?? 'other'}`)
    case 'problems':
      return cause === undefined || cause === 'other'
        ? t('folder.problems', { n: facts.problems })
        : `${t(`cause.${cause}`)} · ${t('count.items', { n: facts.problems })}`
    case 'scanning':
    case 'downloading':
      return fraction === undefined
        ? t(code === 'scanning' ? 'folder.scanning' : 'folder.preparing')
        : t(code === 'scanning' ? 'folder.scanningAt' : 'folder.downloadingAt', { percent: formatPercent(fraction) })
    case 'sourceOffline':
      return facts.source === ''
        ? t('folder.sourcesOffline', { n: facts.waiting })
        : t('folder.sourceOffline', { n: facts.waiting, device: deviceNameById(live, facts.source) })
    case 'waiting':
    case 'sendOnly':
      return t(`folder.${code}`, { n: facts.waiting })
    case 'conflicts':
      return t('status.conflicts', { n: facts.conflicts })
    case 'extra':
      return t('folder.extra', { n: facts.extra })
    default:
      return t(`folder.${code}`)
  }
}
