import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { parseAddress } from '../../../src/core/network/address.ts'
import { isExempt, proxyFromEnvironment } from '../../../src/core/network/proxy.ts'
import { reportRow } from '../../support/effort.ts'

const RELAY_ID = '2OCDSFX-4C76I4L-UEAY33Z-YFOF5MK-3TVO2E6-OMM7PV3-P653IQK-IEB4PA5'

/** `host port family`, or the kind of address. */
function brief(text: string): string {
  const address = parseAddress(text)
  if (address.kind === 'tcp')
    return `${address.host} ${address.port}${address.family === undefined ? '' : ` ${address.family}`}`
  if (address.kind === 'relay')
    return `relay ${address.host} ${address.port} ${address.id?.slice(0, 7) ?? ''} ${address.token}`
  if (address.kind === 'relay-pool') return `relay-pool ${address.url}`
  return address.kind === 'bad'
    ? 'bad'
    : address.kind === 'unsupported'
      ? `unsupported ${address.scheme}`
      : address.kind
}

const cases: [text: string, expected: string][] = [
  ['dynamic', 'dynamic'],
  ['tcp://192.168.1.2', '192.168.1.2 22000'],
  ['tcp://192.168.1.2:', '192.168.1.2 22000'],
  ['tcp://192.168.1.2:1234/', '192.168.1.2 1234'],
  ['TCP://host.example:22000', 'host.example 22000'],
  ['tcp4://host', 'host 22000 4'],
  ['tcp6://[2001:db8::1]:1', '2001:db8::1 1 6'],
  ['tcp4://[2001:db8::1]:1', 'bad'],
  ['tcp6://1.2.3.4', 'bad'],
  ['tcp://[::1]', '::1 22000'],
  ['tcp://[fe80::1%25eth0]:22000', 'fe80::1%eth0 22000'],
  ['tcp://[fe80::1%eth0]', 'fe80::1%eth0 22000'],
  ['tcp://[2001:db8::1%eth0]', 'bad'], // a zone has no meaning there
  ['tcp://[::1%eth0]', 'bad'],
  ['tcp://:22000', ' 22000'],
  ['tcp://0.0.0.0:0', '0.0.0.0 0'],
  ['tcp://host:65535', 'host 65535'],
  ['tcp://host:65536', 'bad'],
  ['tcp://host:-1', 'bad'],
  ['tcp://host:99999999999', 'bad'],
  ['tcp://user@host:1', 'bad'],
  ['tcp://user:secret@host', 'bad'],
  ['tcp://ho st', 'bad'],
  ['tcp://host\n', 'bad'],
  ['tcp://host\r\nX: y', 'bad'],
  ['tcp://host/path', 'bad'],
  ['tcp://host?x', 'bad'],
  ['tcp://[::1', 'bad'],
  ['tcp://[1.2.3.4]:1', 'bad'],
  ['tcp://::1', 'bad'],
  ['host:22000', 'bad'],
  ['', 'bad'],
  ['http://host', 'bad'],
  ['__proto__://host', 'bad'],
  ['constructor://host', 'bad'],
  ['quic://host', 'unsupported quic'],
  [`relay://1.2.3.4:443/?id=${RELAY_ID}&token=s3cret&pingInterval=1m0s`, 'relay 1.2.3.4 443 2OCDSFX s3cret'],
  ['relay://relay.example', 'relay relay.example 22067  '],
  ['relay://[2001:db8::1]:1?token=a%26b', 'relay 2001:db8::1 1  a&b'],
  ['relay://1.2.3.4:443/?id=X', 'bad'],
  ['relay://:443/', 'bad'],
  ['relay://host:0/', 'bad'],
  ['relay://user@host/', 'bad'],
  ['dynamic+https://relays.example/endpoint', 'relay-pool https://relays.example/endpoint'],
  ['dynamic+http://127.0.0.1:80/?x=1', 'relay-pool http://127.0.0.1/?x=1'],
  ['dynamic+https://user:secret@relays.example/', 'bad'],
  ['dynamic+https://', 'bad'],
  ['dynamic+ftp://relays.example/', 'bad'],
  [`tcp://${'a'.repeat(600)}`, 'bad'],
]
test('R-07 addresses: parsed, or refused with a reason', () => {
  for (const [text, expected] of cases) assert.equal(brief(text), expected, JSON.stringify(text))
  reportRow({ id: 'R-07', tried: cases.length, refused: cases.filter(([, expected]) => expected === 'bad').length })
})

test('the text of a relay for display has no token', () => {
  const address = parseAddress(`relay://h:1/?token=s3cret&id=${RELAY_ID}&statusAddr=x`)
  assert.ok(address.kind === 'relay')
  assert.equal(address.text, `relay://h:1/?id=${RELAY_ID}`)
  for (const text of ['relay://h:1/?token=s3cret', 'RELAY://h:1?Token=x&token=s3cret']) {
    const other = parseAddress(text)
    assert.ok(other.kind === 'relay' && !other.text.includes('s3cret'), text)
  }
})

test('every accepted address has a canonical text, which parses to the same address', () => {
  const piece = fc.constantFrom(
    'tcp',
    'tcp4',
    '://',
    ':',
    '22000',
    '[',
    ']',
    '::1',
    'fe80::1',
    '%25',
    '%',
    'eth0',
    'host',
    '.',
    '1.2.3.4',
    '/',
    '@',
    ' ',
    '\n',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
      const address = parseAddress(pieces.join(''))
      if (address.kind !== 'tcp') return
      const again = parseAddress(address.text)
      assert.deepEqual(again, address)
      assert.doesNotMatch(address.text, /[\s@]/)
    }),
    { numRuns: 5_000 },
  )
})

function proxyOf(environment: Record<string, string>) {
  const problems: string[] = []
  const proxy = proxyFromEnvironment(
    (name) => environment[name],
    (message) => problems.push(message),
  )
  return {
    problems,
    proxy,
    brief:
      proxy === undefined ? 'none' : `${proxy.kind} ${proxy.host} ${proxy.port} ${proxy.user} ${proxy.password}`.trim(),
  }
}

test('the proxy from the environment', () => {
  const environments: [environment: Record<string, string>, expected: string][] = [
    [{}, 'none'],
    [{ all_proxy: '' }, 'none'],
    [{ all_proxy: 'socks5://p:1' }, 'socks5 p 1'],
    [{ ALL_PROXY: 'socks5://p' }, 'socks5 p 1080'],
    [{ all_proxy: 'socks5h://[::1]:9' }, 'socks5 ::1 9'],
    [{ all_proxy: 'http://a%40b:c%20d@p:3128' }, 'http p 3128 a@b c d'],
    [{ https_proxy: 'https://p' }, 'https p 443'],
    [{ http_proxy: 'http://p' }, 'http p 80'],
    [{ all_proxy: 'socks://p' }, 'socks5 p 1080'],
    [{ all_proxy: 'socks5://100%:%zz@p' }, 'socks5 p 1080 100% %zz'],
    [{ HTTP_PROXY: 'p:8080' }, 'http p 8080'],
    [{ all_proxy: 'socks5://one', http_proxy: 'http://two' }, 'socks5 one 1080'],
  ]
  for (const [environment, expected] of environments)
    assert.equal(proxyOf(environment).brief, expected, JSON.stringify(environment))
})

test('an invalid proxy is reported without its secrets', () => {
  for (const all_proxy of [
    'ftp://user:hunter2@p',
    'constructor://p',
    'http://',
    'socks5://user:hunter2@',
    '::::hunter2',
  ]) {
    const { brief: result, problems } = proxyOf({ all_proxy })
    assert.equal(result, 'none', all_proxy)
    assert.equal(problems.length, 1, all_proxy)
    assert.doesNotMatch(problems.join(), /hunter2/)
  }
})

test('hosts that are dialled without the proxy', () => {
  const exceptions = ['10.0.0.0/8', 'example.com', '.internal', '192.168.1.1', 'host:22000']
  for (const host of [
    '127.0.0.1',
    '::1',
    'localhost',
    '10.1.2.3',
    'example.com',
    'a.EXAMPLE.com',
    'x.internal',
    '192.168.1.1',
    'host',
  ])
    assert.ok(isExempt(host, exceptions), host)
  for (const host of ['11.0.0.1', 'notexample.com', '192.168.1.10', 'other'])
    assert.ok(!isExempt(host, exceptions), host)
  assert.ok(isExempt('any.example', ['*']))
})

test('the exceptions and the fallback of the proxy', () => {
  const all_proxy = 'socks5://p'
  const exceptionsOf = (more: Record<string, string>) => proxyOf({ all_proxy, ...more }).proxy?.exceptions
  assert.deepEqual(exceptionsOf({}), [])
  assert.deepEqual(exceptionsOf({ no_proxy: ' a.example,, 10.0.0.0/8 ,' }), ['a.example', '10.0.0.0/8'])
  assert.deepEqual(exceptionsOf({ NO_PROXY: '*' }), ['*'])
  assert.equal(proxyOf({ all_proxy }).proxy?.noFallback, false)
  assert.equal(proxyOf({ all_proxy, ALL_PROXY_NO_FALLBACK: '' }).proxy?.noFallback, false)
  assert.equal(proxyOf({ all_proxy, ALL_PROXY_NO_FALLBACK: '1' }).proxy?.noFallback, true)
})

test('an address that cannot be used has a reason', () => {
  for (const [text, reason] of [
    ['host:22000', 'it has no scheme, such as tcp://'],
    ['udp://host', 'its scheme is unknown'],
    ['tcp://host/path', 'it has a path'],
    ['tcp://user@host', 'it has a user in it'],
    ['tcp://ho st', 'its host or port cannot be read'],
    ['tcp://host:65536', 'its port is too large'],
    ['tcp4://[::1]', 'it is no tcp4 address'],
    ['tcp://[1.2.3.4]', 'its host is no IPv6 address'],
    ['tcp://[2001:db8::1%eth0]', 'a zone goes with a link-local address only'],
    [`tcp://${'h'.repeat(512)}`, 'it is too long'],
  ] as const)
    assert.deepEqual(parseAddress(text), { kind: 'bad', reason }, text)
  assert.equal(parseAddress('tcp://host:65535').kind, 'tcp')
})
