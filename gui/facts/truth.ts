import type { FolderConfig } from '../../src/core/config.ts'
import { addressOf } from '../app/address.ts'
import type { LiveState } from '../live/state.ts'
import { t } from '../words/words.ts'
import { otherDevices } from './device.ts'
import { folderFacts, folderName, type FolderFacts } from './folder.ts'
import { formatDuration } from './format.ts'
import type { Tone } from './tone.ts'

/** The one sentence on top of the page, and where its cause is shown. */
export interface Truth {
  readonly tone: Tone
  readonly text: string
  readonly href: string
}

interface Standing {
  readonly folder: FolderConfig
  readonly facts: FolderFacts
}

/** Made from the worst thing that is true. */
export function truthOf(state: LiveState): Truth {
  const { config } = state
  if (config === undefined) return { tone: 'wait', text: t('truth.starting'), href: addressOf() }
  const standings = config.folders.map((folder) => ({ folder, facts: folderFacts(folder, state.folders[folder.id], state.progress[folder.id]) }))
  return stopped(state, standings) ?? problems(standings) ?? moving(state, standings) ?? waiting(state, standings) ?? calm(state, config.folders)
}

function stopped(state: LiveState, standings: readonly Standing[]): Truth | undefined {
  const found = standings.find(({ folder }) => !folder.paused && (state.folders[folder.id]?.status.error ?? '') !== '')
  if (found === undefined) return undefined
  const reason = state.folders[found.folder.id]?.status.error ?? ''
  return { tone: 'bad', text: t('truth.stopped', { folder: folderName(found.folder), reason }), href: addressOf('folders', found.folder.id) }
}

function problems(standings: readonly Standing[]): Truth | undefined {
  const found = standings.find(({ folder, facts }) => !folder.paused && facts.problems > 0)
  if (found === undefined) return undefined
  const text = t('truth.problems', { n: found.facts.problems, folder: folderName(found.folder) })
  return { tone: 'bad', text, href: addressOf('folders', found.folder.id, 'problems') }
}

function moving(state: LiveState, standings: readonly Standing[]): Truth | undefined {
  const found = standings.find(({ folder, facts }) => !folder.paused && state.folders[folder.id]?.status.state === 'syncing' && facts.waiting > 0)
  if (found !== undefined) {
    const rate = state.history.at(-1)?.inBps ?? 0
    const left = rate > 0 ? t('time.left', { time: formatDuration(found.facts.bytesLeft / rate) }) : ''
    const text = t('truth.downloading', { n: found.facts.waiting, folder: folderName(found.folder) })
    return { tone: 'busy', text: left === '' ? text : `${text} ${left}`, href: addressOf('folders', found.folder.id, 'waiting') }
  }
  const scanned = standings.find(({ folder }) => !folder.paused && state.folders[folder.id]?.status.state === 'scanning')
  if (scanned === undefined) return undefined
  return { tone: 'busy', text: t('truth.scanning', { folder: folderName(scanned.folder) }), href: addressOf('folders', scanned.folder.id) }
}

function waiting(state: LiveState, standings: readonly Standing[]): Truth | undefined {
  const short = standings.filter(({ folder, facts }) => !folder.paused && facts.waiting > 0)
  const total = short.reduce((sum, { facts }) => sum + facts.waiting, 0)
  const [first] = short
  if (first === undefined) return undefined
  const anybody = otherDevices(state).some(({ deviceID }) => state.connections.connections[deviceID]?.connected)
  return {
    tone: 'wait',
    text: t(anybody ? 'truth.waiting' : 'truth.waitingAlone', { n: total }),
    href: addressOf('folders', first.folder.id, 'waiting'),
  }
}

function calm(state: LiveState, folders: readonly FolderConfig[]): Truth {
  if (folders.length === 0) return { tone: 'wait', text: t('truth.noFolders'), href: addressOf() }
  if (folders.every(({ paused }) => paused)) return { tone: 'off', text: t('truth.allPaused'), href: addressOf('folders') }
  const others = otherDevices(state)
  if (others.length === 0) return { tone: 'wait', text: t('truth.noDevices'), href: addressOf('devices') }
  if (!others.some(({ deviceID }) => state.connections.connections[deviceID]?.connected)) {
    return { tone: 'wait', text: t('truth.alone'), href: addressOf('devices') }
  }
  return { tone: 'good', text: t('truth.upToDate'), href: addressOf() }
}
