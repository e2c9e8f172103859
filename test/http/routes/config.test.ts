import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { fakeHash, fakeRest, KEY, LOCAL_ID } from '../fakes.ts'

const OTHER = 'P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2'

test('folders: add, read, change, pause, remove', async () => {
  const { send, config } = fakeRest()
  assert.equal((await send('POST', '/rest/config/folders', '{"id":"b","path":"/b","Label":"Bee"}')).body, '')
  assert.deepEqual(
    JSON.parse((await send('GET', '/rest/config/folders')).body).map((folder: { id: string }) => folder.id),
    ['b', 'share'],
  )
  assert.equal(JSON.parse((await send('GET', '/rest/config/folders/b')).body).label, 'Bee')
  assert.equal((await send('PATCH', '/rest/config/folders/b', '{"paused":true}')).status, 200)
  assert.deepEqual(
    config.current.folders.map(({ id, paused, path }) => [id, paused, path]).find(([id]) => id === 'b'),
    ['b', true, '/b'],
  )
  assert.equal((await send('DELETE', '/rest/config/folders/b')).status, 200)
  assert.equal((await send('DELETE', '/rest/config/folders/b')).status, 200)
  for (const method of ['GET', 'PATCH']) {
    const response = await send(method, '/rest/config/folders/b', '{}')
    assert.deepEqual([response.status, response.body], [404, 'No folder with given ID\n'])
  }
})

test('folders: an id with special characters is addressed by its escapes', async () => {
  const { send } = fakeRest()
  await send('POST', '/rest/config/folders', '{"id":"fotos 2026 ü?","path":"/b"}')
  assert.equal((await send('GET', '/rest/config/folders/fotos%202026%20%C3%BC%3F')).status, 200)
})

test('devices: an invalid id is 400, an unknown one 404', async () => {
  const { send, config } = fakeRest()
  assert.equal((await send('GET', '/rest/config/devices/XX')).status, 400)
  assert.equal((await send('GET', `/rest/config/devices/${OTHER}`)).body, 'No device with given ID\n')
  assert.equal(
    (await send('POST', '/rest/config/devices', JSON.stringify({ deviceID: OTHER.toLowerCase(), name: 'bob' }))).status,
    200,
  )
  assert.equal(JSON.parse((await send('GET', `/rest/config/devices/${OTHER}`)).body).name, 'bob')
  assert.equal(
    (await send('PATCH', `/rest/config/devices/${OTHER.replaceAll('-', '')}`, '{"paused":true}')).status,
    200,
  )
  assert.equal(config.current.devices.find((device) => device.deviceID === OTHER)?.paused, true)
  assert.equal((await send('DELETE', `/rest/config/devices/${OTHER}`)).status, 200)
  assert.deepEqual(
    config.current.devices.map((device) => device.deviceID),
    [LOCAL_ID],
  )
})

test('a change that the store refuses is 500 with the reason', async () => {
  const { send, config } = fakeRest()
  config.change = () => Promise.reject(new TwinfoldError('config-invalid', 'folder has empty ID'))
  const response = await send('POST', '/rest/config/folders', '{"path":"/x"}')
  assert.deepEqual([response.status, response.body], [500, 'folder has empty ID\n'])
})

test('gui: a plain password is stored as a hash, a hash and an unchanged one are kept, PUT keeps the key', async () => {
  const { send, config } = fakeRest()
  await send('PATCH', '/rest/config/gui', '{"user":"alice","password":"s3cret"}')
  assert.equal(config.current.gui.password, fakeHash('s3cret'))
  const hash = fakeHash('another')
  await send('PATCH', '/rest/config/gui', JSON.stringify({ password: hash }))
  assert.equal(config.current.gui.password, hash)
  await send('PATCH', '/rest/config/gui', '{"theme":"dark"}')
  assert.equal(config.current.gui.password, hash)
  assert.equal((await send('PUT', '/rest/config/gui', '{"address":"127.0.0.1:1","enabled":true}')).status, 200)
  assert.equal(config.current.gui.apiKey, KEY)
})

test('a new key is valid at once, the old one is not', async () => {
  const { send, call } = fakeRest()
  await send('PATCH', '/rest/config/gui', '{"apiKey":"abcdef"}')
  assert.equal((await send('GET', '/rest/system/ping')).status, 403)
  assert.equal((await call({ target: '/rest/system/ping', headers: { 'X-API-Key': 'abcdef' } })).status, 200)
})

test('parts: options, ldap and defaults are read and changed one by one', async () => {
  const { send, config } = fakeRest()
  assert.equal((await send('PATCH', '/rest/config/options', '{"maxFolderConcurrency":3}')).status, 200)
  assert.equal(JSON.parse((await send('GET', '/rest/config/options')).body).maxFolderConcurrency, 3)
  assert.equal((await send('PUT', '/rest/config/defaults/ignores', '{"lines":["*.tmp"]}')).status, 200)
  assert.deepEqual(JSON.parse((await send('GET', '/rest/config/defaults/ignores')).body), { lines: ['*.tmp'] })
  assert.equal((await send('PATCH', '/rest/config/defaults/folder', '{"rescanIntervalS":7}')).status, 200)
  assert.equal(JSON.parse((await send('GET', '/rest/config/defaults/folder')).body).rescanIntervalS, 7)
  for (const path of ['ldap', 'gui', 'defaults/device'])
    assert.equal((await send('GET', `/rest/config/${path}`)).status, 200)
  config.restartRequired = true
  assert.deepEqual(JSON.parse((await send('GET', '/rest/config/restart-required')).body), { requiresRestart: true })
  assert.deepEqual(JSON.parse((await send('GET', '/rest/system/config/insync')).body), { configInSync: false })
  assert.equal((await send('GET', '/rest/system/config')).body, (await send('GET', '/rest/config')).body)
  assert.equal((await send('PUT', '/rest/system/config')).headers['allow'], 'GET, OPTIONS, POST')
})
