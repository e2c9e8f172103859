import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { NetError } from '../../../../src/platform/net-error.ts'
import {
  alternateFamilies,
  raceAddresses,
  type ResolvedAddress,
} from '../../../../src/platform/node/net/race-addresses.ts'
import { SimClock } from '../../../../src/platform/sim/clock.ts'

const settle = () => setImmediate()
const NEVER = new AbortController().signal
const v6 = (n: number): ResolvedAddress => ({ address: `2001:db8::${n}`, family: 6 })
const v4 = (n: number): ResolvedAddress => ({ address: `192.0.2.${n}`, family: 4 })

/** What happens at an address: connected or failed after a time, or nothing at all. */
type Fate = { readonly afterMs: number; readonly error?: string } | 'silent'

function race(fates: Readonly<Record<string, Fate>>, order: readonly ResolvedAddress[]) {
  const clock = new SimClock()
  const started: [address: string, atMs: number][] = []
  const [discarded, aborted]: [string[], string[]] = [[], []]
  const result = raceAddresses<string>(
    order,
    {
      connect: async ({ address }, signal) => {
        started.push([address, clock.monotonicMs()])
        const fate = fates[address]!
        signal.addEventListener('abort', () => aborted.push(address), { once: true })
        await clock.sleep(fate === 'silent' ? 1_000_000 : fate.afterMs, signal)
        if (fate !== 'silent' && fate.error !== undefined) throw new NetError(fate.error, address)
        return address
      },
      discard: (late) => discarded.push(late),
      pause: (delayMs, signal) => clock.sleep(delayMs, signal).catch(() => {}), // ended early
    },
    NEVER,
  )
  result.catch(() => {}) // examined later
  return { clock, started, discarded, aborted, result }
}

test('address families take turns, the preferred one first', () => {
  const order = alternateFamilies([v6(1), v6(2), v6(3), v4(1), v4(2)]).map(({ address }) => address)
  assert.deepEqual(order, ['2001:db8::1', '192.0.2.1', '2001:db8::2', '192.0.2.2', '2001:db8::3'])
  assert.deepEqual(alternateFamilies([v4(1)]), [v4(1)])
})

test('an address that does not answer delays the next by a quarter of a second only', async () => {
  const { clock, started, aborted, result } = race({ '2001:db8::1': 'silent', '192.0.2.1': { afterMs: 30 } }, [
    v6(1),
    v4(1),
  ])
  await clock.advance(1_000, settle)
  assert.equal(await result, '192.0.2.1')
  assert.deepEqual(started, [
    ['2001:db8::1', 0],
    ['192.0.2.1', 250],
  ])
  assert.deepEqual(aborted.includes('2001:db8::1'), true)
  assert.equal(clock.sleepingCount, 0)
})

test('a slow address that was started first may still win', async () => {
  const fates = { '2001:db8::1': { afterMs: 400 }, '192.0.2.1': 'silent' } as const
  const { clock, result } = race(fates, [v6(1), v4(1)])
  await clock.advance(1_000, settle)
  assert.equal(await result, '2001:db8::1')
})

test('after a failure the next address is tried at once, and all failures are one', async () => {
  const { clock, started, result } = race(
    {
      '2001:db8::1': { afterMs: 0, error: 'ENETUNREACH' },
      '192.0.2.1': { afterMs: 5, error: 'ECONNREFUSED' },
      '2001:db8::2': { afterMs: 0, error: 'ENETUNREACH' },
    },
    [v6(1), v6(2), v4(1)],
  )
  await clock.advance(1_000, settle)
  await assert.rejects(result, { code: 'ECONNREFUSED' }) // says more than the missing address family
  assert.deepEqual(
    started.map(([, atMs]) => atMs),
    [0, 0, 5],
  )
})
