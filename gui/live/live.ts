import { ClientError } from '../../src/client/errors.ts'
import { client } from './client.ts'
import { EventFeed } from './event-feed.ts'
import { pageEvent } from './event-types.ts'
import { loadAll, reloadNow } from './load.ts'
import { applyEvent, applyPulse, reloadsFor, type ReloadPart } from './reduce.ts'
import { INITIAL, type LiveState } from './state.ts'
import { Store, useStore } from '../base/store.ts'
import { Pauses } from '../base/pauses.ts'

const CONNECTIONS_EVERY_MS = 2_000
/** In rounds of the above. */
const WARNINGS_EVERY = 5
/** Events are applied in batches: the page is rendered four times a second, not a thousand times. */
const EVENTS_EVERY_MS = 250
const HIDDEN_EVERY_MS = 5_000
const HIDDEN_MS_MAX = 30_000
/** A timer that is this late was suspended with its machine. */
const LATE_MS = 15_000
const RETRY_SOON_MS = 300
const RETRY_MS = 1_500
/** For loading the page again, which has no timeout of its own. */
const PAGE_MS_MAX = 15_000
const LOCKED_MS = 24 * 3_600_000

/** The state of the daemon, as known to the page. */
export const live = new Store<LiveState>(INITIAL)

export function useLive<S>(select: (state: LiveState) => S): S {
  return useStore(live, select)
}

const pauses = new Pauses()
let following = new AbortController()
let beginsAnew = false
let newSession: Promise<unknown> = Promise.resolve()

/** Reconnects and reloads everything immediately: after a login, or on request of the user. */
export function retryNow(): void {
  beginsAnew = true
  following.abort()
  pauses.end()
}

/**
 * Follows nothing while a request is under way that ends the session, and reconnects after it: without this the login
 * would be shown until the new session is there.
 */
export async function reconnectAfter(request: () => Promise<unknown>): Promise<void> {
  retryNow()
  const running = request()
  newSession = running.catch(() => undefined)
  await running
}

/** Discards everything, as after logging out. */
export function forgetState(): void {
  live.set({ ...INITIAL, link: 'locked' })
  retryNow()
}

/** Follows the daemon for as long as the page is open, through restarts, sleep and lost sessions. */
export async function followDaemon(): Promise<never> {
  watchSight()
  let failures = 0
  for (;;) {
    await newSession
    following = new AbortController()
    beginsAnew = false
    try {
      await followOnce(following, () => (failures = 0))
    } catch (error) {
      // A requested restart aborts the running round: that is no failure.
      // What was loaded may be unusable, and with it any change of the state that the page shows.
      if (!beginsAnew) await pauses.pause(await delayAfter(error, ++failures).catch(() => RETRY_MS))
    } finally {
      following.abort()
    }
  }
}

/** What a failure means for the page, and how long to wait after it. */
async function delayAfter(error: unknown, failures: number): Promise<number> {
  const refused = error instanceof ClientError && error.failure === 'refused'
  if (refused && (await isLocked())) {
    live.update((state) => ({ ...state, link: 'locked' }))
    return beginsAnew ? 0 : LOCKED_MS
  }
  if (failures === 1) return RETRY_SOON_MS // an expired token or a broken connection is not shown
  live.update((state) => ({ ...state, link: 'lost' }))
  return RETRY_MS
}

/** A refusal means that a login is required, or that the token is of an earlier run: loading the page sets one. */
async function isLocked(): Promise<boolean> {
  await fetch('/', { cache: 'no-store', signal: AbortSignal.timeout(PAGE_MS_MAX) }).catch(() => undefined)
  try {
    await client.ping()
    return false
  } catch (error) {
    return error instanceof ClientError && error.failure === 'refused'
  }
}

/**
 * Loads everything once and follows the events from there. Returns when everything has to be loaded again. The loaded
 * state is never older than the events before it, and later events are applied in order: so no event is lost.
 */
async function followOnce(round: AbortController, onLive: () => void): Promise<void> {
  const { signal } = round
  const feed = await EventFeed.open(client, signal)
  await loadAll(live)
  signal.throwIfAborted()
  live.update((state) => ({ ...state, link: 'live' }))
  onLive()
  reloadParts(['attention'])
  document.addEventListener('visibilitychange', () => feed.interrupt(), { signal })
  // Not a race with each request for events: every race would stay in memory until the polling ends.
  pollRates(signal).catch((error: unknown) => round.abort(error))
  for (;;) {
    const items = await nextItems(feed)
    if (items.some(({ type }) => type === 'gap')) return
    const events = items.map(pageEvent).filter((event) => event !== undefined)
    live.update((state) => events.reduce(applyEvent, state))
    await reloadNow(live, new Set(events.flatMap(reloadsFor)))
    if (events.length > 0) await pauses.pause(EVENTS_EVERY_MS)
  }
}

async function nextItems(feed: EventFeed) {
  if (isSeen()) return await feed.next()
  await pauses.pause(HIDDEN_EVERY_MS)
  return await feed.read()
}

/** A restart between two of our requests leaves no trace but this one. */
async function isSamePulse(signal: AbortSignal): Promise<boolean> {
  const pulse = await client.call('GET /rest/twinfold/pulse', { signal })
  if (pulse.startTime !== live.get().runSince) return false
  live.update((state) => applyPulse(state, pulse))
  return true
}

/** Polls rates and warnings, which have no events. Rejects without a response, or when the machine was suspended. */
async function pollRates(signal: AbortSignal): Promise<never> {
  for (let round = 1; ; round++) {
    const begunMs = Date.now()
    await new Promise((resolve) => setTimeout(resolve, CONNECTIONS_EVERY_MS))
    signal.throwIfAborted()
    if (!isSeen()) continue
    if (Date.now() - begunMs > CONNECTIONS_EVERY_MS + LATE_MS || !(await isSamePulse(signal))) retryNow()
    else if (round % WARNINGS_EVERY === 0) await reloadNow(live, ['warnings', 'attention'])
  }
}

/** Reloads one part after a change. A failure shows at the next event. */
export function reloadParts(wanted: Iterable<ReloadPart>): void {
  reloadNow(live, wanted).catch(() => undefined)
}

function isSeen(): boolean {
  return document.visibilityState === 'visible'
}

/** A page that becomes visible catches up immediately; after a longer time it reloads everything. */
function watchSight(): void {
  let hiddenAtMs = Date.now()
  document.addEventListener('visibilitychange', () => {
    if (!isSeen()) hiddenAtMs = Date.now()
    else if (live.get().link !== 'locked' && Date.now() - hiddenAtMs > HIDDEN_MS_MAX) retryNow()
    else if (live.get().link === 'live') pauses.end()
  })
  addEventListener('pageshow', (event) => {
    if (event.persisted) retryNow()
  })
  addEventListener('online', () => {
    if (live.get().link === 'lost') retryNow()
  })
}
