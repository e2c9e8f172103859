import type { RelayAddress, RelayPoolAddress } from '../core/network/address.ts'
import { orderByDelay, parseRelayPool, shuffled } from '../core/network/relay-pool.ts'
import type { Dialer } from '../dialer/dialer.ts'
import type { Clock } from '../platform/clock.ts'
import type { HttpClient } from '../platform/http-client.ts'
import { relayError } from '../platform/net-error.ts'
import type { Random } from '../platform/random.ts'
import { forEachAtOnce } from '../sync/for-each.ts'
import { withTimeout } from '../sync/timeout.ts'
import type { AvoidedRelays } from './avoided-relays.ts'

const LIST_MS_MAX = 30_000
const LIST_BYTES_MAX = 4 * 1_024 * 1_024
/** Of a large pool a random part is measured, so that a device contacts no more hosts than it needs. */
const MEASURED_MAX = 100
const MEASURED_AT_ONCE = 16
const MEASURE_MS_MAX = 2_000

export interface PoolDeps {
  readonly clock: Clock
  readonly random: Random
  readonly http: HttpClient
  readonly dialer: Dialer
  readonly avoided: AvoidedRelays
}

/** The relays of a pool, nearest first by the time to connect to them. */
export async function findRelays(
  deps: PoolDeps,
  pool: RelayPoolAddress,
  signal: AbortSignal,
): Promise<readonly RelayAddress[]> {
  const { random } = deps
  const listed = (await listRelays(deps, pool, signal)).filter((relay) => deps.avoided.remainingMs(relay) === 0)
  if (listed.length === 0) throw relayError('EBUSY', 'all relays of the pool have been left for now')
  const measured: { readonly value: RelayAddress; readonly delayMs: number | undefined }[] = []
  const sample = shuffled(listed, (count) => random.int(count)).slice(0, MEASURED_MAX)
  await forEachAtOnce(sample, MEASURED_AT_ONCE, async (relay) => {
    measured.push({ value: relay, delayMs: await measure(deps, relay, signal) })
  })
  signal.throwIfAborted()
  return orderByDelay(measured, (count) => random.int(count))
}

async function listRelays(
  { http, dialer }: PoolDeps,
  { url }: RelayPoolAddress,
  signal: AbortSignal,
): Promise<readonly RelayAddress[]> {
  const proxy = dialer.proxyFor(new URL(url).hostname)
  const { status, body } = await http.send(
    { url, responseBytesMax: LIST_BYTES_MAX, timeoutMs: LIST_MS_MAX, ...(proxy !== undefined && { proxy }) },
    signal,
  )
  if (status !== 200) throw relayError('EPROTO', `the relay pool answers ${status}`)
  const relays = parseRelayPool(body)
  if (relays === undefined) throw relayError('EPROTO', 'the reply of the relay pool is not a list of relays')
  if (relays.length === 0) throw relayError('ENOENT', 'the relay pool is empty')
  return relays
}

/** Milliseconds to connect; undefined if that fails. */
async function measure(
  { clock, dialer }: PoolDeps,
  { host, port }: RelayAddress,
  signal: AbortSignal,
): Promise<number | undefined> {
  const startedMs = clock.monotonicMs()
  try {
    const stream = await withTimeout(clock, MEASURE_MS_MAX, signal, (until) => dialer.dialTcp({ host, port }, until))
    const delayMs = clock.monotonicMs() - startedMs
    await stream[Symbol.asyncDispose]()
    return delayMs
  } catch {
    return undefined // the relay is out of reach, and comes last
  }
}
