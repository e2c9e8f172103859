import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GuiConfig } from '../../src/core/config/config.ts'
import { fakeRest, KEY } from './fakes.ts'

const LOOPBACK_NAMES = [
  'localhost',
  'localhost:8384',
  'LOCALHOST',
  'LocalHost:1',
  'localhost.',
  'localhost.:8384',
  'a.localhost',
  'A.b.LOCALHOST:8384',
  '127.0.0.1',
  '127.0.0.1:8384',
  '127.1.2.3',
  '127.255.255.255:1',
  '::1',
  '[::1]',
  '[::1]:8384',
]

const OTHER_NAMES = [
  '',
  'evil.example',
  'evil.example:8384',
  'localhost.evil',
  'localhost.example.com',
  'evillocalhost',
  'localhost..',
  'localhost.evil:8384',
  '127.1',
  '127.0.1',
  '0x7f.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '127.0.0.1.',
  '127.0.0.1.evil.example',
  '127.0.0.256',
  '127.00.0.1',
  '0.0.0.0',
  '0.0.0.0:8384',
  '192.168.1.2',
  '10.0.0.1:8384',
  '[::]',
  '[::]:8384',
  '[::2]',
  'evil@localhost',
  'localhost@evil',
  'localhost/evil',
  'localhost:80:80',
  'localhost:evil',
  '127.0.0.1:8384:1',
  ' localhost',
  'localhost ',
  'localhost\t',
  '[::1',
  '::1]',
  '[::1]evil',
  '[::1].evil.example',
  'evil.example/.localhost',
  'evil.example#.localhost',
  '.evil',
  '%6c%6f%63%61%6c%68%6f%73%74',
  '①②⑦.⓪.⓪.①',
  'localhost,evil',
  'localhost%00.evil',
]

test('W-03: on a loopback address only loopback names pass the host check', async () => {
  const { call } = fakeRest()
  const target = '/rest/noauth/health'
  for (const host of LOOPBACK_NAMES) assert.equal((await call({ target, headers: { Host: host } })).status, 200, host)
  let bypasses = 0
  for (const host of OTHER_NAMES) {
    const response = await call({
      target,
      headers: { Host: host, 'X-Forwarded-Host': 'localhost', Origin: 'http://localhost', 'X-API-Key': KEY },
    })
    if (response.status !== 403) bypasses++
    assert.deepEqual([response.status, response.body], [403, 'Host check error\n'], JSON.stringify(host))
    assert.deepEqual(Object.keys(response.headers).sort(), ['content-type', 'x-content-type-options'])
  }
  // The host of an absolute target overrides the header.
  assert.equal(
    (await call({ target: 'http://evil.example/rest/noauth/health', headers: { Host: 'localhost' } })).status,
    403,
  )
  assert.equal(
    (await call({ target: 'http://localhost/rest/noauth/health', headers: { Host: 'evil.example' } })).status,
    200,
  )
  assert.equal((await call({ target, headers: { Host: 'evil.example' }, unixSocket: true })).status, 200)
  console.log(JSON.stringify({ id: 'W-03', tried: LOOPBACK_NAMES.length + OTHER_NAMES.length + 2, bypasses }))
})

test('W-03: the host check is only for loopback addresses, and can be switched off', async () => {
  const target = '/rest/noauth/health'
  const request = (gui: Partial<GuiConfig>, guiAddress?: string) =>
    fakeRest({ gui, options: guiAddress === undefined ? {} : { guiAddress } }).call({
      target,
      headers: { Host: 'evil.example' },
    })
  for (const address of ['127.0.0.1:8384', 'localhost:8384', '[::1]:8384', '127.3.4.5:1'])
    assert.equal((await request({ address })).status, 403, address)
  for (const address of ['0.0.0.0:8384', ':8384', '192.168.1.2:8384', '[::]:8384', '/run/x.sock', 'nas.local:8384']) {
    assert.equal((await request({ address })).status, 200, address)
  }
  assert.equal((await request({ insecureSkipHostcheck: true })).status, 200)
  assert.equal((await request({ address: '0.0.0.0:1' }, 'http://127.0.0.1:8384')).status, 403)
  assert.equal((await request({}, '0.0.0.0:8384')).status, 200)
})
