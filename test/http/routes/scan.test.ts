import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import type { FolderId } from '../../../src/core/ids.ts'
import { fakeRest, KEY } from '../fakes.ts'

// The rules of the interface document that concern only the handler, by name.

test('scan rule 1: when `sub` is omitted or empty, the entire folder is scanned', async () => {
  for (const query of ['', '&sub=', '&sub', '&sub=a&sub=', '&sub=.', '&sub=/', '&sub=a/..']) {
    const { send, calls } = fakeRest()
    assert.equal((await send('POST', `/rest/db/scan?folder=share${query}`)).status, 200, query)
    assert.deepEqual(calls, ['scan share [] next=undefined'], query)
  }
})

test('scan rule 2: when `sub` is given, only that path is scanned', async () => {
  const cases: [query: string, subs: string][] = [
    ['sub=a/b', 'a/b'],
    ['sub=a%2Fb', 'a/b'],
    ['sub=a+b', 'a b'],
    ['sub=gr%C3%BC%C3%9Fe', 'grüße'],
    ['sub=u%CC%88', 'ü'],
    ['sub=/a', 'a'],
    ['sub=a//b/./c/', 'a/b/c'],
    ['sub=x&sub=y', 'x,y'],
    ['sub=x&sub=x/y', 'x'],
    ['sub=*', '*'],
  ]
  for (const [query, subs] of cases) {
    const { send, calls } = fakeRest()
    assert.equal((await send('POST', `/rest/db/scan?folder=share&${query}`)).status, 200, query)
    assert.deepEqual(calls, [`scan share [${subs}] next=undefined`], query)
  }
})

test('scan rule 3: a `sub` that no longer exists is valid, and is scanned', async () => {
  const { send, calls } = fakeRest()
  assert.equal((await send('POST', '/rest/db/scan?folder=share&sub=gone.txt')).status, 200)
  assert.deepEqual(calls, ['scan share [gone.txt] next=undefined'])
})

test('scan rule 4: when `next` is given, the automated rescan is delayed by that many seconds', async () => {
  const cases: [next: string, nextMs: number | undefined][] = [
    ['30', 30_000],
    ['0', 0],
    ['3600', 3_600_000],
    ['', undefined],
    ['007', 7_000],
    ['9223372036', 366 * 24 * 3_600_000],
    ['99999999999999999999999', 366 * 24 * 3_600_000],
  ]
  for (const [next, nextMs] of cases) {
    const { send, calls } = fakeRest()
    assert.equal((await send('POST', `/rest/db/scan?folder=share&next=${next}`)).status, 200, next)
    assert.deepEqual(calls, [`scan share [] next=${nextMs}`], next)
  }
})

test('scan decision 12: `next` that is not a whole number is refused before anything is scanned', async () => {
  for (const next of ['abc', '-1', '1.5', '1e3', '%2B5', ' 5', '5 ', '0x10', '%D9%A1']) {
    const { send, calls } = fakeRest()
    const response = await send('POST', `/rest/db/scan?folder=share&next=${next}`)
    assert.equal(response.status, 400, next)
    assert.match(response.body, /^next must be a whole number/, next)
    assert.deepEqual(calls, [], next)
  }
})

test('scan decision 11: a `sub` outside of the folder is refused by name, and nothing is scanned', async () => {
  for (const sub of ['..', '../x', 'a/../../x', '//x', '/../x', 'a%00b', '..%2f..%2fetc', '%ff']) {
    for (const folder of ['folder=share&', '']) {
      const { send, calls } = fakeRest()
      const response = await send('POST', `/rest/db/scan?${folder}sub=${sub}`)
      assert.equal(response.status, 400, sub)
      assert.match(String(response.headers['content-type']), /^text\/plain/, sub)
      assert.deepEqual(calls, [], sub)
    }
  }
})

test('scan rule 5: on success the response has status 200 and no content', async () => {
  const response = await fakeRest().send('POST', '/rest/db/scan?folder=share')
  assert.deepEqual([response.status, response.body, response.headers['content-type']], [200, '', undefined])
})

test('scan rule 6: an error during the scan is a response with status 500 and a text body', async () => {
  const cases: [error: Error, body: string][] = [
    [new TwinfoldError('folder-missing', 'x'), 'no such folder\n'],
    [new TwinfoldError('folder-paused', 'x'), 'folder is paused\n'],
    [new TwinfoldError('folder-not-running', 'x'), 'folder is not running\n'],
    [new TwinfoldError('folder-error', 'folder path missing'), 'folder path missing\n'],
    [new TwinfoldError('ignore-invalid', 'loading ignores: parse error: x'), 'loading ignores: parse error: x\n'],
    [new TwinfoldError('stopped', 'x'), 'context canceled\n'],
    [new TwinfoldError('disk-full', 'no space left'), 'no space left\n'],
    [new Error('a secret detail'), 'internal error\n'],
  ]
  for (const [error, body] of cases) {
    const { send } = fakeRest({ hub: { scan: () => Promise.reject(error) } })
    const response = await send('POST', '/rest/db/scan?folder=share')
    assert.deepEqual([response.status, response.body], [500, body])
    assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
  }
})

test('scan decision 1: without a folder every folder is scanned; a form body is ignored', async () => {
  for (const target of ['/rest/db/scan', '/rest/db/scan?folder=', '/rest/db/scan?next=5']) {
    const { send, calls } = fakeRest()
    assert.equal((await send('POST', target, 'folder=share')).status, 200)
    assert.deepEqual(calls, ['scan all'])
  }
})

test('scan decision 9: a failed scan of all keeps its first line and names each folder with its reason', async () => {
  const failures = new Map([
    ['second' as FolderId, 'folder marker missing'],
    ['first' as FolderId, 'a & b'],
  ])
  const response = await fakeRest({ hub: { scanAll: async () => failures } }).send('POST', '/rest/db/scan')
  assert.equal(response.status, 500)
  assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
  assert.equal(
    response.body,
    'Error scanning folders\n{\n  "first": "a \\u0026 b",\n  "second": "folder marker missing"\n}\n',
  )
})

test('scan: a disconnect of the client does not stop the scan', async () => {
  const scanning = Promise.withResolvers<void>()
  let ended = false
  const { call } = fakeRest({
    hub: {
      scan: async () => {
        await scanning.promise
        ended = true
      },
    },
  })
  const leaving = new AbortController()
  const response = call({
    method: 'POST',
    target: '/rest/db/scan?folder=share',
    headers: { 'X-API-Key': KEY },
    signal: leaving.signal,
  })
  leaving.abort()
  scanning.resolve()
  assert.equal((await response).status, 200)
  assert.equal(ended, true)
})
