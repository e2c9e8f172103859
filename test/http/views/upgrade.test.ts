import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import type { FoundRelease, UpgradeState, UpgradeView } from '../../../src/upgrade/types.ts'
import { fakeRest } from '../fakes.ts'

const STATE: UpgradeState = {
  checks: 'on',
  running: '1.0.0',
  source: 'https://npm.example/twinfold',
  release: undefined,
  checkedMs: undefined,
  error: '',
  installation: 'npm',
  command: 'npm install -g twinfold@latest',
}
const release = (version: string, relation: FoundRelease['relation']): Partial<UpgradeState> => ({
  release: { version, relation, changes: relation.endsWith('newer') ? [{ version, text: 'Better\n\n<b>' }] : [] },
  checkedMs: 1_795_000_000_000,
  command: `npm install -g twinfold@${version}`,
})

function rest(state: Partial<UpgradeState> = {}, check?: UpgradeView['check']) {
  const whole = { ...STATE, ...state }
  return fakeRest({ deps: { upgrade: { state: () => whole, check: check ?? (async () => whole) } } })
}

const ANSWERS: [why: string, state: Partial<UpgradeState>, newer: boolean, majorNewer: boolean][] = [
  ['a newer one', release('1.1.0', 'newer'), true, false],
  ['a new major one', release('2.0.0', 'major-newer'), false, true],
  ['the same', release('1.0.0', 'same'), false, false],
  ['an older one', release('0.9.0', 'older'), false, false],
]
for (const [why, state, newer, majorNewer] of ANSWERS) {
  test(`GET upgrade, ${why}: Syncthing's four fields and no other`, async () => {
    const { status, body } = await rest(state).send('GET', '/rest/system/upgrade')
    assert.equal(status, 200)
    assert.deepEqual(JSON.parse(body), { latest: `v${state.release?.version}`, majorNewer, newer, running: 'v1.0.0' })
  })
}

test('GET upgrade: 501 while checks are off, 500 with the reason when one fails', async () => {
  const off = await rest({}, () => Promise.reject(new TwinfoldError('upgrade-off', 'x'))).send(
    'GET',
    '/rest/system/upgrade',
  )
  assert.deepEqual([off.status, off.body], [501, 'upgrade unsupported\n'])
  const failed = await rest({}, () => Promise.reject(new TwinfoldError('upgrade-failed', 'no reply'))).send(
    'GET',
    '/rest/system/upgrade',
  )
  assert.deepEqual([failed.status, failed.body], [500, 'no reply\n'])
})

test('POST upgrade installs nothing and returns the command', async () => {
  const known = await rest(release('1.1.0', 'newer')).send('POST', '/rest/system/upgrade')
  const message = 'upgrade unsupported: Twinfold does not replace itself; '
  assert.deepEqual(
    [known.status, known.body],
    [501, `${message}run this on its machine, then restart it: npm install -g twinfold@1.1.0\n`],
  )
  const forbidden = await rest({ checks: 'forbidden' }).send('POST', '/rest/system/upgrade')
  assert.deepEqual([forbidden.status, forbidden.body], [501, 'upgrade unsupported\n'])
  const unknown = await rest({ command: undefined }).send('POST', '/rest/system/upgrade')
  assert.deepEqual(
    [unknown.status, unknown.body],
    [501, `${message}install the new version the way this one was installed\n`],
  )
})

test('the details: all values, and null for unknown ones', async () => {
  const none = await rest({ source: undefined, command: undefined, checks: 'off' }).send(
    'GET',
    '/rest/twinfold/upgrade',
  )
  assert.deepEqual(JSON.parse(none.body), {
    running: 'v1.0.0',
    checks: 'off',
    source: null,
    checked: null,
    error: '',
    latest: null,
    available: false,
    major: false,
    changes: [],
    installation: 'npm',
    command: null,
  })
  const newer = await rest({ ...release('2.0.0', 'major-newer'), error: 'later failure' }).send(
    'GET',
    '/rest/twinfold/upgrade',
  )
  const { checked, ...others } = JSON.parse(newer.body)
  assert.equal(Date.parse(checked), 1_795_000_000_000)
  assert.deepEqual(others, {
    running: 'v1.0.0',
    checks: 'on',
    source: 'https://npm.example/twinfold',
    error: 'later failure',
    latest: 'v2.0.0',
    available: true,
    major: true,
    changes: [{ version: 'v2.0.0', text: 'Better\n\n<b>' }],
    installation: 'npm',
    command: 'npm install -g twinfold@2.0.0',
  })
})

test('the details send no request', async () => {
  const { send } = rest({}, () => assert.fail('a request was sent'))
  assert.equal((await send('GET', '/rest/twinfold/upgrade')).status, 200)
})
