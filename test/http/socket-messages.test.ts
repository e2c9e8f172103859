/** The bytes of messages: smuggling (catalogue row W-08), missing hosts, replies without a body. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KEY } from './fakes.ts'
import { exchange, head, isComplete, served, statusOf } from './raw-client.ts'

test('W-08: one message is never read as two, and other protocols are refused', async () => {
  const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const ping = '/rest/system/ping'
  const post = (more: string) => `POST ${ping} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\n${more}`
  const cases: [name: string, bytes: string][] = [
    ['CL and TE', post(`Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`)],
    ['TE and CL', post(`Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${smuggled}`)],
    ['two CL', post(`Content-Length: 0\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`)],
    ['CL list', post(`Content-Length: 0, ${smuggled.length}\r\n\r\n${smuggled}`)],
    ['CL sign', post(`Content-Length: +${smuggled.length}\r\n\r\n${smuggled}`)],
    ['CL hex', post(`Content-Length: 0x10\r\n\r\n${smuggled}`)],
    ['CL negative', post(`Content-Length: -1\r\n\r\n${smuggled}`)],
    ['TE unknown', post(`Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`)],
    ['TE chunked twice', post(`Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${smuggled}`)],
    ['TE with space before colon', post(`Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`)],
    ['obs-fold', post(`X-A: b\r\n Content-Length: 5\r\n\r\n`)],
    // A route that reads its body: any other may reply before the body is found to be invalid.
    [
      'bad chunk size',
      post(`Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n${smuggled}`).replace(ping, '/rest/system/error'),
    ],
    ['bare LF head', `POST ${ping} HTTP/1.1\nHost: localhost\nX-API-Key: ${KEY}\n\n${smuggled}`],
    ['bare CR', `GET ${ping} HTTP/1.1\rHost: localhost\r\r`],
    ['two hosts', `GET ${ping} HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nX-API-Key: ${KEY}\r\n\r\n`],
    ['no version', `GET ${ping}\r\n\r\n`],
    ['HTTP/9.9', `GET ${ping} HTTP/9.9\r\nHost: localhost\r\n\r\n`],
    ['HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['NUL in header', post('X-A: a\0b\r\n\r\n')],
    ['space in target', 'GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['garbage', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['more garbage', 'hello world\r\n\r\n'],
  ]
  let split = 0
  for (const [name, bytes] of cases) {
    await using server = await served()
    const text = await exchange(server.address, Buffer.from(bytes, 'latin1'), isComplete)
    if (server.seen.some((line) => line.includes('smuggled'))) split++
    assert.ok(!server.seen.some((line) => line.includes('smuggled')), `${name}: ${server.seen}`)
    assert.ok([0, 400, 505].includes(statusOf(text)), `${name}: ${text.slice(0, 80)}`)
  }
  await using server = await served()
  assert.equal(statusOf(await exchange(server.address, head(ping, '\r\n'), isComplete)), 200)
  console.log(JSON.stringify({ id: 'W-08', tried: cases.length, splitRequests: split }))
})

test('a missing Host is refused by the host check, in HTTP/1.1 and in HTTP/1.0', async () => {
  await using server = await served()
  for (const version of ['1.0', '1.1']) {
    const text = await exchange(server.address, `GET /rest/noauth/health HTTP/${version}\r\nConnection: close\r\n\r\n`)
    assert.equal(statusOf(text), 403, version)
    assert.ok(text.endsWith('Host check error\n'))
  }
})

test('success without content has Content-Length 0 and no Content-Type; HEAD is 405 without a body', async () => {
  await using server = await served()
  const scan = await exchange(
    server.address,
    `POST /rest/db/scan?folder=share HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\nConnection: close\r\n\r\n`,
  )
  assert.match(scan, /^HTTP\/1\.1 200 OK\r\n/)
  assert.match(scan, /\r\nContent-Length: 0\r\n/)
  assert.ok(!/^content-type:/im.test(scan))
  const ping = await exchange(
    server.address,
    `HEAD /rest/system/ping HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\nConnection: close\r\n\r\n`,
  )
  assert.match(ping, /^HTTP\/1\.1 405 [^]*\r\n\r\n$/)
})
