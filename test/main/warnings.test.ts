import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SimPlatform } from '../../src/platform/sim/platform.ts'
import { request, settle, startDevice } from '../support/sim-daemon.ts'

const OPEN_ADDRESS = '0.0.0.0:8384'

function client(platform: SimPlatform) {
  return (method: string, target: string, body?: object) =>
    request(platform, method, target, body === undefined ? '' : JSON.stringify(body), OPEN_ADDRESS)
}

function warningsIn(platform: SimPlatform): readonly string[] {
  return (platform.lines.files.get('-') ?? []).filter((line) => / WRN /.test(line))
}

test('an open page is in the log and in the replies of REST until there is a password', async () => {
  const { platform, stop, done } = await startDevice(3, { guiAddress: OPEN_ADDRESS })
  const send = client(platform)
  const logged = warningsIn(platform).filter((line) => line.includes('is open to everybody'))
  assert.equal(logged.length, 1)
  assert.match(logged[0]!, /main: the page on 0\.0\.0\.0:8384 .* no password is set; set a user name and a password/)
  const [warning, ...others] = JSON.parse((await send('GET', '/rest/twinfold/warnings')).text)
  assert.deepEqual([warning.code, others], ['gui-open', []])
  assert.deepEqual(JSON.parse((await send('GET', '/rest/twinfold/summary')).text).warnings, [warning])

  await send('PATCH', '/rest/config/options', { maxSendKbps: 1 })
  assert.equal(warningsIn(platform).filter((line) => line.includes('is open to')).length, 1, 'logged once')
  await send('PATCH', '/rest/config/gui', { user: 'ann', password: 'secret' })
  assert.deepEqual(JSON.parse((await send('GET', '/rest/twinfold/warnings')).text), [])
  stop.abort()
  for (let turn = 0; turn < 20; turn++) await settle()
  await done
})

test('a page that is open on purpose, or on loopback only, is no warning', async () => {
  const { platform, stop, done } = await startDevice(3, { guiAddress: OPEN_ADDRESS })
  const send = client(platform)
  await send('PATCH', '/rest/config/gui', { insecureAdminAccess: true })
  assert.deepEqual(JSON.parse((await send('GET', '/rest/twinfold/warnings')).text), [])
  stop.abort()
  const closed = await startDevice(4)
  assert.deepEqual(warningsIn(closed.platform), [])
  closed.stop.abort()
  for (let turn = 0; turn < 20; turn++) await settle()
  await Promise.all([done, closed.done])
})

test('a folder that contains the home is refused by every route of folders, with the reason', async () => {
  const { platform, stop, done } = await startDevice(3, { guiAddress: OPEN_ADDRESS })
  const send = client(platform)
  const reason = /^folder "[a-z]+": .* contains the home of this device \(\/home\/sim\/state\), whose private key/
  for (const path of ['~', '/home/sim', '/home/sim/state', '/']) {
    const { status, text } = await send('POST', '/rest/config/folders', { id: 'all', path })
    assert.deepEqual([status, reason.test(text)], [400, true], `${path}: ${text}`)
  }
  assert.equal((await send('POST', '/rest/config/folders', { id: 'all', path: '/home/sim/Sync' })).status, 200)
  const whole = JSON.parse((await send('GET', '/rest/config')).text)
  const folder = { ...whole.folders[0], path: '/home' }
  const other = { ...folder, id: 'other' }
  const changes: readonly [method: string, path: string, body: object][] = [
    ['PUT', '/rest/config', { ...whole, folders: [folder] }],
    ['POST', '/rest/system/config', { ...whole, folders: [...whole.folders, other] }],
    ['PUT', '/rest/config/folders', [folder]],
    ['POST', '/rest/config/folders', other],
    ['PUT', '/rest/config/folders/all', folder],
    ['PATCH', '/rest/config/folders/all', { path: '/home' }],
  ]
  for (const [method, path, body] of changes) {
    const { status, text } = await send(method, path, body)
    assert.deepEqual([status, reason.test(text)], [400, true], `${method} ${path}: ${text}`)
  }
  assert.deepEqual(JSON.parse((await send('GET', '/rest/config')).text), whole)
  stop.abort()
  for (let turn = 0; turn < 20; turn++) await settle()
  await done
})

test('a device that runs as root warns once', async () => {
  for (const isRoot of [true, false]) {
    const { platform, stop, done } = await startDevice(3, {}, { isRoot })
    assert.equal(warningsIn(platform).filter((line) => line.includes('running as root')).length, isRoot ? 1 : 0)
    stop.abort()
    for (let turn = 0; turn < 20; turn++) await settle()
    await done
  }
})
