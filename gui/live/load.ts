import { ClientError } from '../../src/client/errors.ts'
import type { SummaryJson } from '../../src/rest/twinfold.ts'
import { client } from './client.ts'
import { applyConnections, onlyConfigured, type ReloadPart } from './reduce.ts'
import type { LiveState } from './state.ts'
import type { Store } from '../base/store.ts'
import { lookUp } from '../base/look-up.ts'

type Live = Store<LiveState>

/** Limits the list when every file of a failing disk has an error. */
const ERRORS_MAX = 1_000

/** Loads everything. */
export async function loadAll(live: Live): Promise<void> {
  const [config, system, version, summary, restartRequired] = await Promise.all([
    client.config(),
    client.systemStatus(),
    client.version(),
    client.call('GET /rest/twinfold/summary'),
    client.restartRequired(),
  ])
  live.update((state) => ({
    ...applySummary(state, summary),
    config,
    system,
    version,
    restartRequired,
    isComplete: state.isComplete && state.link === 'live', // not after the daemon was gone
    progress: {},
    runSince: summary.system.startTime,
    servedAs: state.servedAs ?? { address: config.gui.address, useTLS: config.gui.useTLS, version: version.version },
  }))
}

/** What is known after a summary. */
export function applySummary(state: LiveState, summary: SummaryJson): LiveState {
  const { folders, connections, pendingDevices, pendingFolders, errors, deviceStats, folderStats } = summary
  return {
    ...applyConnections(state, connections),
    // A folder that was just added may be missing in the summary and have a status from an event already.
    folders: { ...onlyConfigured(state.folders, state.config?.folders ?? []), ...withErrors(folders, state.folders) },
    pendingDevices,
    pendingFolders,
    deviceStats,
    folderStats,
    warnings: errors ?? [],
    risks: summary.warnings,
    disagreements: summary.disagreements,
    indexImport: summary.indexImport,
    access: summary.access,
    pauses: summary.pauses,
    scheduledPauses: summary.scheduledPauses,
  }
}

/** The summary has no list of failed items: the one that is known stays. */
function withErrors(folders: SummaryJson['folders'], before: LiveState['folders']): LiveState['folders'] {
  return Object.fromEntries(
    Object.entries(folders).map(([id, folder]) => [id, { ...folder, errors: lookUp(before, id)?.errors }]),
  )
}

const RELOADS = {
  async config(live: Live) {
    const config = await client.config()
    live.update((state) => ({ ...state, config }))
  },
  async summary(live: Live) {
    const summary = await client.call('GET /rest/twinfold/summary')
    live.update((state) => applySummary(state, summary))
  },
  async connections(live: Live) {
    const connections = await client.call('GET /rest/system/connections')
    live.update((state) => applyConnections(state, connections))
  },
  async pending(live: Live) {
    const [pendingDevices, pendingFolders] = await Promise.all([
      client.call('GET /rest/cluster/pending/devices'),
      client.call('GET /rest/cluster/pending/folders'),
    ])
    live.update((state) => ({ ...state, pendingDevices, pendingFolders }))
  },
  async statistics(live: Live) {
    const [deviceStats, folderStats] = await Promise.all([
      client.call('GET /rest/stats/device'),
      client.call('GET /rest/stats/folder'),
    ])
    live.update((state) => ({ ...state, deviceStats, folderStats }))
  },
  async warnings(live: Live) {
    const { errors } = await client.call('GET /rest/system/error')
    // Loaded often and rarely changed: components render again only on a change.
    live.update((state) =>
      JSON.stringify(state.warnings) === JSON.stringify(errors ?? []) ? state : { ...state, warnings: errors ?? [] },
    )
  },
  /** Conflict copies, and the failed items of folders that have some. */
  async attention(live: Live) {
    try {
      await loadAttention(live)
    } finally {
      if (!live.get().isComplete) live.update((state) => ({ ...state, isComplete: true }))
    }
  },
  async restart(live: Live) {
    const restartRequired = await client.restartRequired()
    live.update((state) => ({ ...state, restartRequired }))
  },
} as const

async function loadAttention(live: Live): Promise<void> {
  const conflicts = await client.call('GET /rest/twinfold/conflict-counts')
  live.update((state) =>
    JSON.stringify(state.conflicts) === JSON.stringify(conflicts) ? state : { ...state, conflicts },
  )
  const failed = Object.entries(live.get().folders).filter(
    ([, { status, errors }]) =>
      errors === undefined && status.state !== '' && Math.max(status.errors, status.pullErrors) > 0,
  )
  await Promise.all([...failed.map(([id]) => loadErrors(live, id)), loadRemedies(live)])
}

/** Requested only while a folder has a problem: evidence is looked up on its disk. */
async function loadRemedies(live: Live): Promise<void> {
  const isNeeded = Object.values(live.get().folders).some(
    ({ status }) => status.error !== '' || status.errors > 0 || (status.watchError ?? '') !== '',
  )
  const remedies = isNeeded ? await client.call('GET /rest/twinfold/remedies') : []
  live.update((state) => (JSON.stringify(state.remedies) === JSON.stringify(remedies) ? state : { ...state, remedies }))
}

async function loadErrors(live: Live, id: string): Promise<void> {
  const { errors } = await client.call('GET /rest/folder/errors', { query: { folder: id, perpage: ERRORS_MAX } })
  live.update((state) => {
    const folder = lookUp(state.folders, id)
    return folder === undefined
      ? state
      : { ...state, folders: { ...state.folders, [id]: { ...folder, errors: errors ?? [] } } }
  })
}

/** Reloads some parts. Rejects only without a response; an error, as for a folder just removed, changes nothing. */
export async function reloadNow(live: Live, wanted: Iterable<ReloadPart>): Promise<void> {
  await Promise.all(
    [...wanted].map((name) =>
      reloadOne(live, name).catch((error: unknown) => {
        if (!(error instanceof ClientError) || error.failure !== 'status') throw error
      }),
    ),
  )
}

async function reloadOne(live: Live, name: ReloadPart): Promise<void> {
  if (!isFolder(name)) return RELOADS[name](live)
  const id = name.slice('folder:'.length)
  const status = await client.folderStatus(id)
  live.update((state) => ({
    ...state,
    folders: { ...state.folders, [id]: { completion: {}, ...lookUp(state.folders, id), status } },
  }))
}

function isFolder(name: ReloadPart): name is `folder:${string}` {
  return name.startsWith('folder:')
}
