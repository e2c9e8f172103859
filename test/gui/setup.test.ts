/** The first steps: which are done, what blocks the next one, invitations, and templates of ignore patterns. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { childrenOf, directoryOf, parentOf, withoutEnd } from '../../gui/view-model/folder-path.ts'
import { hasTemplate, IGNORE_TEMPLATE_NAMES, withTemplate } from '../../gui/view-model/ignore-templates.ts'
import { invitedAddresses, inviteText, readInvite } from '../../gui/view-model/invite.ts'
import { setupSteps, showsSetup } from '../../gui/view-model/setup.ts'
import type { OfflineFacts } from '../../gui/view-model/why-offline.ts'
import { INITIAL } from '../../gui/live/state.ts'
import { LAPTOP, LOCAL_ID } from '../support/config.ts'
import { completion, liveState, type StateSketch } from '../support/live-state.ts'

const LAPTOP_NAMED = { id: LAPTOP, config: { name: 'laptop' } }
const stepsOf = (sketch: StateSketch, offline?: OfflineFacts) =>
  Object.fromEntries(
    setupSteps(liveState(sketch), offline).map(({ name, isDone, blocked }) => [
      name,
      isDone ? 'done' : (blocked?.key ?? 'open'),
    ]),
  )

function offlineBy(reason: 'not-added' | 'timeout'): OfflineFacts {
  const address = 'tcp://192.0.2.1:22000'
  return {
    device: { paused: false, addresses: [address] },
    attempts: [{ address, error: reason, reason, triedMs: Date.now(), nextMs: Date.now() }],
    options: undefined,
    status: { connectionServiceStatus: {} },
    wasSeen: false,
    disagreement: undefined,
    clockOffMs: 0,
  }
}

test('a new home has three steps, all open', () => {
  assert.deepEqual(stepsOf({}), { login: 'open', folder: 'open', device: 'open' })
})

test('a device that does not answer blocks what comes after it, with the reason', () => {
  const sketch = { folders: { a: {} }, devices: [LAPTOP_NAMED] }
  const silent = stepsOf(sketch, offlineBy('timeout'))
  assert.equal(silent['reached'], 'offline.todo.timeout')
  assert.equal(silent['accepted'], 'offline.todo.timeout')
  const strange = stepsOf(sketch, offlineBy('not-added'))
  assert.equal(strange['reached'], 'done')
  assert.equal(strange['accepted'], 'offline.todo.not-added')
})

test('a connected device: a folder must be shared, accepted, and have a file', () => {
  const devices = [{ ...LAPTOP_NAMED, connected: true }]
  const files = { globalFiles: 3, inSyncFiles: 3 }
  const there = (given: Parameters<typeof completion>[0]) => ({ [LAPTOP]: completion(given) })
  const own = [{ deviceID: LOCAL_ID, introducedBy: '', encryptionPassword: '' }] as const
  assert.equal(stepsOf({ devices, folders: { a: { config: { devices: own } } } })['shared'], 'setup.block.unshared')
  const offered = { a: { completion: there({ remoteState: 'notSharing' }) } }
  assert.equal(stepsOf({ devices, folders: offered })['shared'], 'setup.block.notTaken')
  const empty = { a: { status: { globalFiles: 0 }, completion: there({ globalItems: 0 }) } }
  assert.deepEqual(stepsOf({ devices, folders: empty }), {
    login: 'open',
    folder: 'done',
    device: 'done',
    reached: 'done',
    accepted: 'done',
    shared: 'done',
    file: 'setup.block.empty',
  })
  const moving = { a: { status: files, completion: there({ needItems: 10 }) } }
  assert.equal(stepsOf({ devices, folders: moving })['file'], 'setup.block.transfer')
  const whole = { a: { status: files, completion: there({}) } }
  assert.equal(stepsOf({ devices, folders: whole })['file'], 'done')
})

test('the steps are shown until a device was connected, or until they are closed once begun', () => {
  const connected = liveState({ folders: { a: {} }, devices: [{ ...LAPTOP_NAMED, connected: true }] })
  const waiting = liveState({ folders: { a: {} }, devices: [LAPTOP_NAMED] })
  assert.equal(showsSetup(INITIAL, ''), false, 'nothing is known yet')
  assert.equal(showsSetup(liveState(), 'closed'), true, 'a new home')
  assert.equal(showsSetup(waiting, ''), true)
  assert.equal(showsSetup(waiting, 'closed'), false)
  assert.equal(showsSetup(connected, ''), false, 'a home in use, in a browser that has not shown them')
  assert.equal(showsSetup(connected, 'open'), true, 'until the first file has arrived')
})

test('an invitation is read as it was written, also inside other text; an ID alone is none', () => {
  const invite = { deviceID: LAPTOP, name: 'Anna’s laptop', addresses: ['tcp://192.0.2.1:22000'] }
  assert.deepEqual(readInvite(inviteText(invite)), invite)
  assert.deepEqual(readInvite(`Hi! Here it is:\r\n${inviteText(invite)}\r\nBye`), invite)
  assert.equal(readInvite(LAPTOP), undefined)
  assert.equal(readInvite(` ${LAPTOP}\n`), undefined)
  assert.equal(readInvite('nothing'), undefined)
  assert.deepEqual(readInvite(`see ${LAPTOP}`), { deviceID: LAPTOP, name: '', addresses: [] })
  const many = Array.from({ length: 99 }, (_, port) => `tcp://192.0.2.1:${port}`).join(' ')
  assert.equal(readInvite(`${LAPTOP} ${many}`)?.addresses.length, 8)
})

test('an invitation names only addresses that another machine can dial', () => {
  assert.deepEqual(
    invitedAddresses([
      'tcp://0.0.0.0:22000',
      'tcp://[::]:22000',
      'tcp://127.0.0.1:22000',
      'tcp://[::1]:22000',
      'tcp://:22000',
      'dynamic+https://relays.example.org',
      'tcp://192.0.2.1:22000',
      'relay://192.0.2.2:22067',
    ]),
    ['tcp://192.0.2.1:22000', 'relay://192.0.2.2:22067'],
  )
})

test('templates of ignore patterns are added and removed, and keep other lines', () => {
  const own = '// mine\n*.tmp'
  for (const name of IGNORE_TEMPLATE_NAMES) {
    const on = withTemplate(own, name, true)
    assert.equal(hasTemplate(own, name), false)
    assert.equal(hasTemplate(on, name), true)
    assert.equal(withTemplate(on, name, false), own)
    assert.equal(withTemplate(on, name, true), on)
    assert.equal(withTemplate(withTemplate('', name, true), name, false), '')
  }
})

test('directories to browse: where a path is, what is above, what is below', () => {
  assert.equal(directoryOf('~/Pho', '/home/anna', '/'), '/home/anna/')
  assert.equal(directoryOf('/srv/data/', '/home/anna', '/'), '/srv/data/')
  assert.equal(directoryOf('', '/home/anna', '/'), '/')
  assert.equal(directoryOf('C:\\Users\\an', 'C:\\Users\\anna', '\\'), 'C:\\Users\\')
  assert.equal(parentOf('/srv/data/', '/'), '/srv/')
  assert.equal(parentOf('/srv/', '/'), '/')
  assert.equal(parentOf('/', '/'), undefined)
  assert.deepEqual(childrenOf(['/srv/data/', '/srv/more'], '/'), [
    { name: 'data', path: '/srv/data/' },
    { name: 'more', path: '/srv/more/' },
  ])
  assert.equal(withoutEnd(' /srv/data// '), '/srv/data')
  assert.equal(withoutEnd('/'), '/')
  assert.equal(withoutEnd('C:\\'), 'C:\\')
})
