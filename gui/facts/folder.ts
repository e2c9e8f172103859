import type { FolderConfig } from '../../src/core/config/config.ts'
import type { FolderLive } from '../live/state.ts'
import { t } from '../words/words.ts'
import { folderCounts, type FolderCounts } from './folder-counts.ts'
import { formatPercent } from './format.ts'
import type { Tone } from './tone.ts'

export { folderName } from './folder-counts.ts'

/** The state of a folder, as a row shows it. */
export interface FolderFacts extends FolderCounts {
  readonly tone: Tone
  readonly text: string
  /** From 0 to 1, only during a transfer or a scan. */
  readonly fraction?: number
}

export function folderFacts(folder: FolderConfig, live: FolderLive | undefined): FolderFacts {
  const status = live?.status
  const counts = folderCounts(live)
  if (folder.paused) return { ...counts, tone: 'off', text: t('folder.paused') }
  if (status === undefined) return { ...counts, tone: 'wait', text: t('folder.starting') }
  if (status.error !== '' || status.state === 'error') return { ...counts, tone: 'bad', text: t('folder.stopped') }
  return { ...counts, ...running(status, live?.scan, counts.bytesLeft) }
}

type Status = FolderLive['status']

function running(
  status: Status,
  scan: FolderLive['scan'],
  bytesLeft: number,
): Pick<FolderFacts, 'tone' | 'text' | 'fraction'> {
  switch (status.state) {
    case 'scanning': {
      if (scan === undefined || scan.total === 0 || scan.counted === false)
        return { tone: 'busy', text: t('folder.scanning') }
      const fraction = scan.current / scan.total
      return { tone: 'busy', text: t('folder.scanningAt', { percent: formatPercent(fraction) }), fraction }
    }
    case 'syncing': {
      const done = status.globalBytes === 0 ? 0 : 1 - bytesLeft / status.globalBytes
      const fraction = status.needTotalItems > 0 ? Math.min(done, 0.99) : done // what is still needed is not all there
      return { tone: 'busy', text: t('folder.downloading', { percent: formatPercent(fraction) }), fraction }
    }
    case 'scan-waiting':
      return { tone: 'wait', text: t('folder.scanWaiting') }
    case 'sync-waiting':
    case 'sync-preparing':
      return { tone: 'busy', text: t('folder.preparing') }
    case 'cleaning':
    case 'clean-waiting':
      return { tone: 'busy', text: t('folder.cleaning') }
    default:
      return resting(status)
  }
}

function resting(status: Status): Pick<FolderFacts, 'tone' | 'text'> {
  const problems = Math.max(status.pullErrors, status.errors)
  if (problems > 0) return { tone: 'bad', text: t('folder.problems', { n: problems }) }
  if (status.needTotalItems > 0) return { tone: 'wait', text: t('folder.outOfSync', { n: status.needTotalItems }) }
  if (status.receiveOnlyTotalItems > 0)
    return { tone: 'wait', text: t('folder.extra', { n: status.receiveOnlyTotalItems }) }
  return { tone: 'good', text: t('folder.upToDate') }
}
