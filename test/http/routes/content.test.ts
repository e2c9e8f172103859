import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError, type ErrorCode } from '../../../src/core/errors.ts'
import type { ContentView, OpenedContent } from '../../../src/model/content/reader-types.ts'
import { fakeHash, fakeRest, KEY } from '../fakes.ts'

const BYTES = Buffer.from('0123456789abcdef')
const ETAG = '"tag"'

/** The read ranges are listed in `reads`. */
function opening(reads: string[] = [], read?: OpenedContent['read']): ContentView {
  return {
    open: async (_folder, name) => ({
      name,
      sizeBytes: BYTES.length,
      modifiedMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
      etag: ETAG,
      async *read(from, to, signal) {
        reads.push(`${from}-${to}`)
        if (read !== undefined) return yield* read(from, to, signal)
        for (let at = from; at < to; at += 5) yield BYTES.subarray(at, Math.min(at + 5, to))
      },
    }),
  }
}

function refusing(code: ErrorCode): ContentView {
  return {
    open: async () => {
      throw new TwinfoldError(code, 'the reason')
    },
  }
}

interface Asked {
  readonly method?: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
}

async function ask(content: ContentView, { method = 'GET', query = '', headers = {} }: Asked = {}) {
  const target = `/rest/twinfold/content?folder=share&file=dir%2Ffilm.mp4${query}`
  return await fakeRest({ deps: { content } }).call({ method, target, headers: { 'X-API-Key': KEY, ...headers } })
}

test('a file is sent with its type, tag and time, and never as a part of the page', async () => {
  const { status, headers, body } = await ask(opening())
  assert.deepEqual([status, body], [200, BYTES.toString()])
  const expected = {
    'content-type': 'video/mp4',
    'content-length': '16',
    etag: ETAG,
    'last-modified': 'Fri, 02 Jan 2026 03:04:05 GMT',
    'accept-ranges': 'bytes',
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
    'content-disposition': `inline; filename="film.mp4"; filename*=UTF-8''film.mp4`,
  }
  for (const [name, value] of Object.entries(expected)) assert.equal(headers[name], value, name)
  assert.match(String((await ask(opening(), { query: '&download=1' })).headers['content-disposition']), /^attachment;/)
})

test('a document of others loads nothing', async () => {
  const rest = fakeRest({ deps: { content: opening() } })
  const target = '/rest/twinfold/content?folder=share&file=page.html'
  const { headers } = await rest.call({ target, headers: { 'X-API-Key': KEY } })
  assert.match(String(headers['content-security-policy']), /^sandbox; default-src 'none';/)
})

test('HEAD describes the same and reads nothing', async () => {
  const reads: string[] = []
  const { status, headers, body } = await ask(opening(reads), { method: 'HEAD' })
  assert.deepEqual([status, body, headers['content-length'], headers['etag']], [200, '', '16', ETAG])
  assert.deepEqual(reads, [])
})

const ranges: [header: string, more: Readonly<Record<string, string>>, expected: readonly unknown[]][] = [
  ['bytes=2-4', {}, [206, 'bytes 2-4/16', '3', '234']],
  ['bytes=10-', {}, [206, 'bytes 10-15/16', '6', 'abcdef']],
  ['bytes=-3', {}, [206, 'bytes 13-15/16', '3', 'def']],
  ['bytes=2-4', { 'If-Range': ETAG }, [206, 'bytes 2-4/16', '3', '234']],
  ['bytes=2-4', { 'If-Range': '"older"' }, [200, undefined, '16', BYTES.toString()]],
  ['bytes=0-1,3-4', {}, [200, undefined, '16', BYTES.toString()]],
  ['bytes=16-', {}, [416, 'bytes */16', undefined, '']],
]
for (const [range, more, expected] of ranges) {
  test(`${range} ${JSON.stringify(more)}: ${String(expected[0])}`, async () => {
    const { status, headers, body } = await ask(opening(), { headers: { Range: range, ...more } })
    const length = headers['content-length'] === '0' ? undefined : headers['content-length']
    assert.deepEqual([status, headers['content-range'], length, body], expected)
  })
}

test('a client that has the file gets nothing', async () => {
  const reads: string[] = []
  const { status, headers, body } = await ask(opening(reads), { headers: { 'If-None-Match': ETAG } })
  assert.deepEqual([status, headers['etag'], body, reads], [304, ETAG, '', []])
})

const refusals: [ErrorCode, number][] = [
  ['folder-missing', 404],
  ['folder-paused', 409],
  ['file-missing', 404],
  ['refused', 409],
  ['content-encrypted', 409],
  ['content-unavailable', 503],
]
for (const [code, expected] of refusals) {
  test(`${code} is status ${expected}`, async () => {
    const { status, body } = await ask(refusing(code))
    assert.equal(status, expected)
    if (!code.startsWith('folder')) assert.equal(body, 'the reason\n')
  })
}

test('a file whose first bytes fail is an error with a status, not a broken reply', async () => {
  const failing = opening([], async function* () {
    throw new TwinfoldError('content-unavailable', 'no device has it')
  })
  const { status, body } = await ask(failing)
  assert.deepEqual([status, body], [503, 'no device has it\n'])
})

test('a failure in the middle breaks the reply', async () => {
  const failing = opening([], async function* () {
    yield BYTES.subarray(0, 4)
    throw new TwinfoldError('content-unavailable', 'went away')
  })
  await assert.rejects(ask(failing), /went away/)
})

test('elements of the own page need no token header, those of other pages are refused', async () => {
  const gui = { user: 'alice', password: fakeHash('s3cret') }
  const rest = fakeRest({ gui, deps: { content: opening() } })
  const target = '/rest/twinfold/content?folder=share&file=f'
  const page = await rest.call({ target: '/', headers: { Authorization: `Basic ${btoa('alice:s3cret')}` } })
  const cookies = [page.headers['set-cookie'] ?? []].flat().map((each) => each.split(';')[0])
  const token = cookies.find((each) => each?.startsWith('CSRF-Token-'))
  const session = cookies.find((each) => each?.startsWith('sessionid-'))
  assert.ok(token !== undefined && session !== undefined)
  const statusWith = async (headers: Record<string, string>, method = 'GET', path = target) =>
    (await rest.call({ method, target: path, headers })).status
  const own = { Cookie: `${session}; ${token}` }
  assert.equal(await statusWith(own), 200)
  assert.equal(await statusWith(own, 'HEAD'), 200)
  assert.equal(await statusWith({ Cookie: session }), 403, 'no token')
  assert.equal(await statusWith({ Cookie: token }), 403, 'no session')
  assert.equal(await statusWith({ Cookie: `${session}; CSRF-Token-AAAAAAA=x` }), 403, 'an invalid token')
  assert.equal(await statusWith({ ...own, 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': 'video' }), 403)
  assert.equal(await statusWith(own, 'GET', '/rest/system/status'), 403, 'no other route')
})
