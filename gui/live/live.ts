import { ClientError } from '../../src/client/errors.ts'
import { client } from './client.ts'
import { TOLD_TYPES, toldEvent } from './event-shapes.ts'
import { applyConnections, applyEvent, reloadsFor, type Reload } from './reduce.ts'
import { INITIAL, type LiveState } from './state.ts'
import { Store, useStore } from './store.ts'

const CONNECTIONS_EVERY_MS = 2_000
const RETRY_MS = 1_500

/** What the page knows of its daemon. */
export const live = new Store<LiveState>(INITIAL)

export function useLive<S>(select: (state: LiveState) => S): S {
  return useStore(live, select)
}

/** Follows the daemon for as long as the page is open, through restarts, sleep and lost sessions. */
export async function follow(): Promise<never> {
  for (;;) {
    try {
      await load()
      live.update((state) => ({ ...state, link: 'live' }))
      await followEvents()
    } catch (error) {
      const locked = error instanceof ClientError && error.failure === 'refused' && (await isLocked())
      live.update((state) => ({ ...state, link: locked ? 'locked' : state.link === 'starting' ? 'starting' : 'lost' }))
    }
    await pause(live.get().link === 'locked' ? undefined : RETRY_MS)
  }
}

let wake: (() => void) | undefined

/** Tries the daemon again at once: after a login, or when a person is impatient. */
export function retryNow(): void {
  wake?.()
}

function pause(timeMs: number | undefined): Promise<void> {
  return new Promise((resolve) => {
    wake = resolve
    if (timeMs !== undefined) setTimeout(resolve, timeMs)
  })
}

/** Forgets everything, as after logging out. */
export function forget(): void {
  live.set({ ...INITIAL, link: 'locked' })
}

/** A refusal means a login is wanted, or that the daemon is new and our token is not: the page itself brings a new one. */
async function isLocked(): Promise<boolean> {
  await fetch('/', { cache: 'no-store' }).catch(() => undefined)
  try {
    await client.ping()
    return false
  } catch (error) {
    return error instanceof ClientError && error.failure === 'refused'
  }
}

async function load(): Promise<void> {
  const [config, system, version, summary, restartRequired] = await Promise.all([
    client.config(), client.systemStatus(), client.version(), client.call('GET /rest/twinfold/summary'), client.restartRequired(),
  ])
  const { folders, connections, pendingDevices, pendingFolders, errors, deviceStats, folderStats } = summary
  live.update((state) => ({
    ...applyConnections(state, connections),
    config, system, version, folders, pendingDevices, pendingFolders, deviceStats, folderStats, restartRequired,
    warnings: errors ?? [], progress: {},
  }))
}

async function followEvents(): Promise<void> {
  const types = TOLD_TYPES
  const [last] = await client.eventsSince({ types, limit: 1, timeoutS: 0 })
  let since = last?.id ?? 0
  const ended = new AbortController()
  const counting = countBytes(ended.signal)
  try {
    for (;;) {
      const events = await Promise.race([client.eventsSince({ types, since }, ended.signal), counting])
      since = events.at(-1)?.id ?? since
      const told = events.map(toldEvent).filter((event) => event !== undefined)
      live.update((state) => told.reduce(applyEvent, state))
      reload(new Set(told.flatMap(reloadsFor)))
    }
  } finally {
    ended.abort()
  }
}

/** Rates have no events. Rejects when the daemon does not answer, and never ends otherwise. */
async function countBytes(signal: AbortSignal): Promise<never> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, CONNECTIONS_EVERY_MS))
    signal.throwIfAborted()
    if (document.visibilityState === 'visible') await RELOADS.connections()
  }
}

const RELOADS = {
  async connections() {
    const connections = await client.call('GET /rest/system/connections')
    live.update((state) => applyConnections(state, connections))
  },
  async pending() {
    const [pendingDevices, pendingFolders] = await Promise.all([
      client.call('GET /rest/cluster/pending/devices'), client.call('GET /rest/cluster/pending/folders'),
    ])
    live.update((state) => ({ ...state, pendingDevices, pendingFolders }))
  },
  async statistics() {
    const [deviceStats, folderStats] = await Promise.all([client.call('GET /rest/stats/device'), client.call('GET /rest/stats/folder')])
    live.update((state) => ({ ...state, deviceStats, folderStats }))
  },
  async warnings() {
    const { errors } = await client.call('GET /rest/system/error')
    live.update((state) => ({ ...state, warnings: errors ?? [] }))
  },
  async restart() {
    const restartRequired = await client.restartRequired()
    live.update((state) => ({ ...state, restartRequired }))
  },
} as const

/** Asks one thing again, for those who changed it. A failure shows at the next event. */
export function reload(wanted: Iterable<Reload>): void {
  for (const name of wanted) {
    const asking = name.startsWith('folder:') ? reloadFolder(name.slice('folder:'.length)) : RELOADS[name as keyof typeof RELOADS]()
    asking.catch(() => undefined)
  }
}

async function reloadFolder(id: string): Promise<void> {
  const status = await client.folderStatus(id)
  live.update((state) => ({
    ...state,
    folders: { ...state.folders, [id]: { completion: {}, ...state.folders[id], status } },
  }))
}
