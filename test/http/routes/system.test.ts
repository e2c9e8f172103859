import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import type { FolderId } from '../../../src/core/ids.ts'
import type { VersionFacts } from '../../../src/http/types.ts'
import { fakeRest, KEY } from '../fakes.ts'

test('folder/errors and stats/folder', async () => {
  const { send } = fakeRest({
    hub: {
      folderErrors: async () => [{ path: 'a', error: 'no' }],
      folderStatistics: async () =>
        new Map([['b' as FolderId, { lastFile: { atMs: 0, filename: '', deleted: false }, lastScanMs: 1_999 }]]),
    },
  })
  assert.deepEqual(JSON.parse((await send('GET', '/rest/folder/errors?folder=share')).body), {
    errors: [{ path: 'a', error: 'no' }],
    folder: 'share',
    page: 1,
    perpage: 65_536,
  })
  assert.deepEqual(JSON.parse((await send('GET', '/rest/stats/folder')).body), {
    b: { lastFile: { at: '0001-01-01T00:00:00Z', filename: '', deleted: false }, lastScan: '1970-01-01T00:00:01Z' },
  })
  const paused = fakeRest({ hub: { folderErrors: () => Promise.reject(new TwinfoldError('folder-paused', 'x')) } })
  assert.deepEqual((await paused.send('GET', '/rest/folder/errors?folder=share')).body, 'folder is paused\n')
})

test('the levels of log lines are numbers as in Syncthing 1.x, or names in a home that 2.x made', async () => {
  const { send, log, config } = fakeRest()
  const levels = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const
  log.all = levels.map((level, timeMs) => ({ timeMs, level, facility: 'main', message: 'text' }))
  const shown = async () => {
    const { messages } = JSON.parse((await send('GET', '/rest/system/log')).body)
    return messages.map((line: { level: unknown }) => line.level)
  }
  assert.deepEqual(await shown(), [0, 2, 3, 3])
  await send('POST', '/rest/system/error', 'reported')
  await config.change((current) => ({ ...current, version: 52 }))
  assert.deepEqual(await shown(), ['DBG', 'INF', 'WRN', 'ERR'])
  assert.equal(JSON.parse((await send('GET', '/rest/system/error')).body).errors[0].level, 'WRN')
})

test('errors and log: stored verbatim, cleared, filtered by time', async () => {
  const { send, log } = fakeRest()
  assert.equal((await send('GET', '/rest/system/error')).body, '{\n  "errors": null\n}\n')
  for (const body of ['one\n two', '', '{"message":"j"}'])
    assert.equal((await send('POST', '/rest/system/error', body)).body, '')
  const { errors } = JSON.parse((await send('GET', '/rest/system/error')).body)
  assert.deepEqual(
    errors.map((error: { message: string }) => error.message),
    ['one\n two', '', '{"message":"j"}'],
  )
  assert.equal(errors[0].level, 3)
  assert.equal((await send('POST', '/rest/system/error/clear')).status, 200)
  assert.equal(JSON.parse((await send('GET', '/rest/system/error')).body).errors, null)

  log.all = [1_000, 2_500].map((timeMs) => ({
    timeMs,
    level: 'INFO' as const,
    facility: 'main' as const,
    message: `at ${timeMs}`,
  }))
  assert.equal(JSON.parse((await send('GET', '/rest/system/log')).body).messages.length, 2)
  assert.equal(JSON.parse((await send('GET', '/rest/system/log?since=1970-01-01T00:00:01Z')).body).messages.length, 1)
  assert.equal(
    JSON.parse((await send('GET', '/rest/system/log?since=1970-01-01T00:00:02.5%2B00:00')).body).messages,
    null,
  )
  assert.equal(JSON.parse((await send('GET', '/rest/system/log?since=yesterday')).body).messages.length, 2)
  assert.equal(
    (await send('GET', '/rest/system/log.txt')).body,
    '1970-01-01T00:00:01Z: main: at 1000\n1970-01-01T00:00:02Z: main: at 2500\n',
  )
})

test('shutdown and restart: the reply is sent before the action', async () => {
  const { server, calls } = fakeRest()
  for (const [path, message, call] of [
    ['shutdown', 'shutting down', 'shutdown'],
    ['restart', 'restarting', 'restart'],
  ] as const) {
    const reply = await server.handler({
      method: 'POST',
      target: `/rest/system/${path}`,
      headers: { 'x-api-key': KEY, host: 'localhost' },
      remoteAddress: '127.0.0.1',
      remotePort: 1,
      secure: false,
      unixSocket: false,
      signal: new AbortController().signal,
      body: async () => new Uint8Array(),
    })
    assert.equal(reply.headers['Content-Type'], 'text/plain; charset=utf-8')
    const pieces: unknown[] = []
    for await (const piece of reply.body as AsyncIterable<string>) {
      pieces.push(piece)
      assert.ok(!calls.includes(call))
    }
    assert.deepEqual(pieces, [`{"ok": "${message}"}\n`])
    assert.ok(calls.includes(call))
    assert.equal((await fakeRest().send('GET', `/rest/system/${path}`)).status, 405)
  }
})

test('svc: device ids, random strings and languages', async () => {
  const { send, call } = fakeRest()
  assert.deepEqual(JSON.parse((await send('GET', '/rest/svc/deviceid?id=')).body), { id: '' })
  assert.match(JSON.parse((await send('GET', '/rest/svc/deviceid?id=1234')).body).error, /incorrect length/)
  for (const [query, length] of [
    ['', 32],
    ['?length=0', 32],
    ['?length=-4', 32],
    ['?length=x', 32],
    ['?length=7', 7],
    ['?length=99999999', 65_536],
  ] as const) {
    assert.equal(JSON.parse((await send('GET', `/rest/svc/random/string${query}`)).body).random.length, length)
  }
  const language = async (header?: string) =>
    JSON.parse(
      (await call({ target: '/rest/svc/lang', headers: header === undefined ? {} : { 'Accept-Language': header } }))
        .body,
    )
  assert.deepEqual(await language(), [''])
  assert.deepEqual(await language('sv-SE;q=0.8,yy,sv;q=x,en;q=0.5,de;foo=1'), ['yy', 'de', 'sv-se', 'en'])
})

test('version: the structure that clients parse, with the name Twinfold', async () => {
  const { send } = fakeRest({ options: { version: { ...fakeVersion, extra: 'wrapped by x/y;' } } })
  const version = JSON.parse((await send('GET', '/rest/system/version')).body)
  assert.equal(
    version.longVersion,
    'syncthing v1.0.0 "Twinfold" (node24.21.0 linux-amd64) builder@host 2026-01-02 03:04:05 UTC ' +
      '[twinfold, wrapped by xy]',
  )
  assert.match(
    version.longVersion,
    /^syncthing (v\d+\.\d+\.\d+\S*) "(.+)" \((\S+) (\S+)-(\S+)\) (\S+)@(\S+) (.+ UTC) \[(.+)\]$/,
  )
  assert.deepEqual(
    [version.version, version.isRelease, version.isBeta, version.extra, version.tags],
    ['v1.0.0', true, false, 'wrapped by xy', ['twinfold', 'wrapped by xy']],
  )
})

const fakeVersion: VersionFacts = {
  version: 'v1.0.0',
  codename: 'Twinfold',
  runtime: 'node24.21.0',
  platform: 'linux',
  architecture: 'x64',
  endianness: 'LE',
  builder: { user: 'builder', host: 'host' },
  builtMs: Date.UTC(2026, 0, 2, 3, 4, 5),
  tags: ['twinfold'],
  extra: '',
  container: false,
}
