/** no call that leaves the process waits for ever, whatever the other side does. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { filesOf } from '../tools/imports.ts'
import { reportRow } from './support/effort.ts'
import { OUTGOING_CALLS, outsideAt, WITHOUT_WAITING, type OutgoingCall } from './support/outgoing-calls.ts'
import { eventually } from './support/scratch.ts'
import { BEHAVIOURS, silentServer } from './support/silent-server.ts'

/** A limit of 10 s is reached after 0.1 s. */
const SPEED = 100
/** Limits are 30 s at most; a call that hangs is noticed after this. */
const HANGS_MS = 15_000
/** Turns of the event loop: enough to pass an error on, not enough for any timer or answer. */
const TURNS = 30

/** How the sources call what leads outside. A file with such a call needs a row in the table. */
const METHODS = 'http.send .dialTls .dialTcp .dialServer dialer.dial udp.open'.split(' ')
const FUNCTIONS =
  'connectTcp connectThrough connectSocket connectTls httpRequest createSocket fetch openChannel joinSession'.split(' ')
const CALL = new RegExp(
  [...METHODS.map((name) => name.replace('.', '\\s*\\.')), ...FUNCTIONS.map((name) => `(?<![#\\w])${name}`)]
    .map((pattern) => `${pattern}\\(`)
    .join('|'),
  'i',
)

test('R-20 every source that makes an outgoing call is in the table', () => {
  const root = join(import.meta.dirname, '..')
  const covered = new Set([...OUTGOING_CALLS.flatMap(({ files }) => files), ...WITHOUT_WAITING])
  const calling = filesOf(root, 'src/**/*.ts').filter(
    (file) => !file.startsWith('src/platform/sim/') && CALL.test(readFileSync(join(root, file), 'utf8')),
  )
  assert.ok(calling.length > 10, 'the pattern finds the calls')
  const missing = calling.filter((file) => !covered.has(file))
  assert.deepEqual(missing, [], 'add them to test/support/outgoing-calls.ts')
})

async function settles(what: string, call: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  const settled = call.then(
    () => true,
    () => true,
  )
  const late = sleep(HANGS_MS, false, { signal: over.signal }).catch(() => false)
  const isSettled = await Promise.race([settled, late])
  over.abort()
  assert.ok(isSettled, `${what}: has not settled`)
}

/** Settles by itself within its limit, and leaves no connection. */
async function reachesLimit(call: OutgoingCall, behaviour: string): Promise<void> {
  await using server = await silentServer(BEHAVIOURS[behaviour]!)
  await settles(behaviour, call.run(outsideAt(server.port, SPEED), new AbortController().signal))
  await eventually(`${behaviour}: no connection`, async () => server.openCount === 0 || undefined, HANGS_MS)
}

/** Settles at once when it is aborted, with the limit far away. Returns whether the server was reached before. */
async function obeysAbort(call: OutgoingCall, behaviour: string): Promise<boolean> {
  await using server = await silentServer(BEHAVIOURS[behaviour]!)
  const stop = new AbortController()
  const settled = new AbortController()
  const onSettled = (): void => settled.abort()
  const done = call.run(outsideAt(server.port, 1), stop.signal).then(onSettled, onSettled)
  const isReached = await Promise.race([
    call.isDatagram === true || server.reached.then(() => true),
    done.then(() => false),
  ])
  stop.abort(new Error('stopping'))
  for (let turn = 0; turn < TURNS && !settled.signal.aborted; turn++) await setImmediate()
  assert.ok(settled.signal.aborted, `${behaviour}: has not settled at once`)
  await eventually(`${behaviour}: no connection`, async () => server.openCount === 0 || undefined, HANGS_MS)
  return isReached
}

for (const call of OUTGOING_CALLS) {
  test(`R-20 ${call.name} settles whatever the server does`, async () => {
    const behaviours = call.isDatagram === true ? ['accepts and stays silent'] : Object.keys(BEHAVIOURS)
    const limited = call.isUnlimited === true ? [] : behaviours
    const checks = [...limited.map((one) => reachesLimit(call, one)), ...behaviours.map((one) => obeysAbort(call, one))]
    const results = await Promise.allSettled(checks)
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []))
    const isReached = results.some((result) => result.status === 'fulfilled' && result.value === true)
    assert.ok(isReached || failures.length > 0, 'the call reaches the server')
    reportRow({ id: 'R-20', call: call.name, tried: results.length, hanging: failures.length })
    assert.deepEqual(failures, [])
  })
}
