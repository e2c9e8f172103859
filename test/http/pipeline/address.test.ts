import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hostOf, isLoopbackHost, parseGuiAddress } from '../../../src/http/pipeline/address.ts'

describe('the host of an address', () => {
  const cases: readonly [text: string, host: string][] = [
    ['', ''],
    ['name', 'name'],
    ['name:', 'name'],
    ['name:80', 'name'],
    ['name:8x', ''],
    ['name:x8', ''],
    [':80', ''],
    ['[::1]', '::1'],
    ['[::1]:', '::1'],
    ['[::1]:80', '::1'],
    ['[::1]x', ''],
    ['[::1]:x', ''],
    ['[::1', ''],
    ['[]', ''],
    ['[a]', 'a'],
    ['::1', '::1'],
    ['1:2:3', '1:2:3'],
  ]
  for (const [text, host] of cases)
    it(`${JSON.stringify(text)} is ${JSON.stringify(host)}`, () => assert.equal(hostOf(text), host))
})

describe('a loopback host', () => {
  const loopback = [
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    'a_b-9.c.localhost',
    '127.0.0.1',
    '127.255.255.255',
    '127.0.0.0',
    '127.10.200.99',
    '::1',
    '::ffff:127.0.0.1',
    '0:0:0:0:0:0:0:1',
    '0000:0000:0000:0000:0000:0000:0000:0001',
  ]
  const other = [
    '',
    'localhos',
    'xlocalhost',
    'localhost..',
    'a b.localhost',
    'é.localhost',
    '128.0.0.1',
    '127',
    '127.0.0',
    '127.0.0.1.1',
    '127.0.0.256',
    '127.0.0.01',
    '127.0.0.1000',
    '127.0.0.',
    '::2',
    '::ffff:128.0.0.1',
    '0:0:0:0:0:0:1',
    '0:0:0:0:0:0:0:0:1',
    '1:0:0:0:0:0:0:1',
    '0:0:0:0:0:0:0:11',
  ]
  for (const host of loopback) it(`is ${host}`, () => assert.equal(isLoopbackHost(host), true))
  for (const host of other) it(`is not ${JSON.stringify(host)}`, () => assert.equal(isLoopbackHost(host), false))
})

describe('an address of the settings', () => {
  const cases: readonly [text: string, listen: string, tls: boolean | undefined, loopback: boolean][] = [
    ['http://localhost:1/page/x', 'localhost:1', false, true],
    ['https://[::1]:8384', '[::1]:8384', true, true],
    ['ftp://127.0.0.1:1', 'ftp:', undefined, false],
    ['constructor://127.0.0.1:1', 'constructor:', undefined, false],
    ['xhttp://127.0.0.1', 'xhttp:', undefined, false],
    ['127.0.0.1:1/x', '127.0.0.1:1', undefined, true],
    ['unix:///localhost', '/localhost', false, false],
    ['unixs:///run/a/b.sock', '/run/a/b.sock', true, false],
  ]
  for (const [text, listen, tls, loopback] of cases) {
    it(text, () => assert.deepEqual(parseGuiAddress(text), { listen, tls, loopback }))
  }
})
