/** Why a device is not connected: what to do, and how far each step got. */
import { isWithoutInternet, serverName } from '../../gui/view-model/network.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Attempt } from '../../gui/view-model/attempts.ts'
import { offlineAdvice, offlineSteps, type OfflineFacts } from '../../gui/view-model/why-offline.ts'
import { TEXTS } from '../../gui/i18n/tables.ts'
import { DIAL_STATUS_REASONS } from '../../src/rest/system.ts'

const TRIED_MS = Date.parse('2026-11-16T00:00:00Z')

function attempt(reason: Attempt['reason'], address = 'tcp://192.0.2.1:22000'): Attempt {
  return { address, reason, error: reason ?? '', triedMs: TRIED_MS, nextMs: TRIED_MS + 60_000 }
}

const FACTS: OfflineFacts = {
  device: { paused: false, addresses: ['dynamic'] },
  attempts: [],
  options: { localAnnounceEnabled: true, globalAnnounceEnabled: false, relaysEnabled: false },
  status: { connectionServiceStatus: {} },
  wasSeen: false,
  disagreement: undefined,
  clockOffMs: 0,
}
const fixed = { paused: false, addresses: ['tcp://192.0.2.1:22000'] }
const adviceOf = (facts: Partial<OfflineFacts>) => offlineAdvice({ ...FACTS, ...facts }).key
const stepsOf = (facts: Partial<OfflineFacts>) =>
  Object.fromEntries(offlineSteps({ ...FACTS, ...facts }).map(({ name, tone, text }) => [name, `${tone} ${text.key}`]))

test('the advice is about the reason that tells most', () => {
  const cases: readonly (readonly [Partial<OfflineFacts>, string])[] = [
    [{ device: { ...fixed, paused: true }, disagreement: 'plain-there' }, 'offline.todo.paused'],
    [{ disagreement: 'plain-there', attempts: [attempt('rejected')] }, 'disagree.plain-there'],
    [{ clockOffMs: -3_600_000, attempts: [attempt('timeout')] }, 'offline.todo.clock'],
    [{ clockOffMs: 59_000, attempts: [attempt('timeout')] }, 'offline.todo.timeout'],
    [{}, 'offline.todo.not-found'],
    [{ options: { ...FACTS.options!, localAnnounceEnabled: false } }, 'offline.todo.discovery-off'],
    [{ device: { paused: false, addresses: [] } }, 'offline.todo.none'],
    [{ attempts: [attempt('timeout'), attempt('not-added')] }, 'offline.todo.not-added'],
    [{ attempts: [attempt('timeout'), attempt('refused')] }, 'offline.todo.refused'],
    [{ attempts: [attempt('other'), attempt('unreachable')] }, 'offline.todo.unreachable'],
    [{ attempts: [attempt(undefined)] }, 'offline.todo.lost'],
    [{ attempts: [{ ...attempt(undefined), triedMs: Number.NaN }] }, 'offline.todo.untried'],
  ]
  for (const [facts, expected] of cases) assert.equal(adviceOf(facts), expected, JSON.stringify(facts))
})

test('every reason of the daemon has a text, and its own advice', () => {
  for (const reason of DIAL_STATUS_REASONS) {
    assert.ok(Object.hasOwn(TEXTS, `dial.${reason}`), reason)
    assert.equal(adviceOf({ attempts: [attempt(reason)] }), `offline.todo.${reason}`)
    assert.ok(Object.hasOwn(TEXTS, `offline.todo.${reason}`), reason)
  }
})

test('a device that has not accepted us is reached', () => {
  const { reached, accepted } = stepsOf({ attempts: [attempt('timeout'), attempt('not-added')] })
  assert.equal(reached, 'good offline.reached')
  assert.equal(accepted, 'bad offline.notAccepted')
})

test('a device that answers nowhere is not reached, and may have accepted us', () => {
  const unseen = stepsOf({ attempts: [attempt('timeout'), attempt('wrong-device')] })
  assert.equal(unseen['reached'], 'bad offline.notReached')
  assert.equal(unseen['accepted'], 'wait offline.acceptedUnknown')
  assert.equal(stepsOf({ attempts: [attempt('timeout')], wasSeen: true })['accepted'], 'good offline.wasAccepted')
  assert.equal(stepsOf({ disagreement: 'plain-there' })['accepted'], 'bad offline.disagreement')
  assert.equal(stepsOf({ attempts: [attempt('rejected')] })['accepted'], 'wait offline.closed')
})

test('discovery: unused, off, failing, nothing found, found', () => {
  const status = { connectionServiceStatus: {}, discoveryStatus: { 'IPv4 local': { error: 'no network' } } }
  const off = { localAnnounceEnabled: false, globalAnnounceEnabled: false, relaysEnabled: false }
  assert.equal(stepsOf({ device: fixed })['discovery'], 'off offline.discoveryUnused')
  assert.equal(stepsOf({ options: off })['discovery'], 'off network.off')
  assert.equal(stepsOf({ status })['discovery'], 'bad offline.failed')
  assert.equal(stepsOf({})['discovery'], 'wait offline.discoveryNothing')
  assert.equal(stepsOf({ attempts: [attempt('timeout')] })['discovery'], 'good offline.discoveryFound')
})

test('relays and listeners: off, failing, working', () => {
  const options = { ...FACTS.options!, relaysEnabled: true }
  const listeners = (error: string | null, ...names: readonly string[]) => ({
    connectionServiceStatus: Object.fromEntries(
      names.map((name) => [name, { error, lanAddresses: [], wanAddresses: [] }]),
    ),
  })
  assert.equal(stepsOf({})['relays'], 'off network.off')
  assert.equal(stepsOf({ options })['relays'], 'off offline.relaysOthers')
  assert.equal(stepsOf({ options, status: listeners('no', 'relay://r:1') })['relays'], 'bad offline.failed')
  assert.equal(stepsOf({ options, status: listeners(null, 'dynamic+https://r') })['relays'], 'good network.works')
  assert.equal(stepsOf({})['listening'], 'off offline.listensNowhere')
  assert.equal(stepsOf({ status: listeners('in use', 'tcp://:1') })['listening'], 'bad offline.failed')
  assert.equal(stepsOf({ status: listeners(null, 'tcp://:1', 'relay://r:1') })['listening'], 'good network.works')
})

test('a clock that differs from the browser is a step that fails; a paused device has no steps', () => {
  assert.equal(stepsOf({ clockOffMs: 120_000 })['clock'], 'bad offline.clockOff')
  assert.equal(stepsOf({})['clock'], 'good offline.clockFine')
  assert.deepEqual(stepsOf({ device: { ...fixed, paused: true } }), {})
})

test('without the Internet the words come before the servers', () => {
  const error = 'request failed: getaddrinfo EAI_AGAIN discovery.example'
  const names = ['global@https://discovery-v4.example/v2/', 'global@https://discovery-v6.example/v2/?x']
  const lines = names.map((name) => ({ name, tone: 'bad' as const, error }))
  assert.deepEqual(lines.map(isWithoutInternet), [true, true])
  assert.deepEqual(names.map(serverName), ['discovery-v4.example', 'discovery-v6.example'])
  assert.equal(isWithoutInternet({ name: 'IPv4 local', tone: 'bad', error }), false)
  assert.equal(isWithoutInternet({ ...lines[0]!, error: 'status 403' }), false)
})
