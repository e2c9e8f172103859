import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { TwinfoldError, type ErrorCode } from '../../../src/core/errors.ts'
import { errorReply } from '../../../src/http/pipeline/errors.ts'
import { TooManyLogins } from '../../../src/http/pipeline/login-throttle.ts'
import { escapeHtml, json, jsonPieces, redirectTo } from '../../../src/http/pipeline/reply.ts'

describe('JSON in pieces', () => {
  function* piecesOf(...pieces: readonly string[]): Generator<string, void, undefined> {
    yield* pieces
  }
  const signal = new AbortController().signal
  const bodyOf = async (...pieces: readonly string[]) => {
    let slept = 0
    const clock = { sleep: async (delayMs: number) => void (slept += 1 + delayMs) }
    const { status, contentType, body } = jsonPieces(piecesOf(...pieces), clock, signal)
    assert.deepEqual([status, contentType], [200, 'application/json; charset=utf-8'])
    if (typeof body === 'string') return { body, slept }
    return { parts: await Array.fromAsync(body as AsyncIterable<string>), slept }
  }
  it('is one text if there is one piece at most', async () => {
    assert.deepEqual(await bodyOf(), { body: '', slept: 0 })
    assert.deepEqual(await bodyOf('[]'), { body: '[]', slept: 0 })
  })
  it('is sent piece by piece otherwise; after the second other requests are served', async () => {
    assert.deepEqual(await bodyOf('[', ']'), { parts: ['[', ']'], slept: 0 })
    assert.deepEqual(await bodyOf('[', '1', ',2', ']'), { parts: ['[', '1', ',2', ']'], slept: 2 })
  })
})

describe('replies', () => {
  it('of a value', () => {
    assert.deepEqual(json({ a: '<' }), {
      status: 200,
      contentType: 'application/json; charset=utf-8',
      body: '{\n  "a": "\\u003c"\n}\n',
    })
  })
  it('that redirect have a page for browsers', () => {
    assert.deepEqual(redirectTo('/a', 'POST'), { status: 307, headers: { Location: '/a' } })
    assert.deepEqual(redirectTo('/"', 'GET'), {
      status: 301,
      contentType: 'text/html; charset=utf-8',
      headers: { Location: '/"' },
      body: '<a href="/&#34;">Moved Permanently</a>.\n\n',
    })
  })
  it('escape every sign of HTML', () => assert.equal(escapeHtml(`a&<>"'b`), 'a&#38;&#60;&#62;&#34;&#39;b'))
})

describe('the reply to an error', () => {
  const cases: readonly [code: ErrorCode, status: number, body: string][] = [
    ['bad-request', 400, 'reason'],
    ['path-escapes-folder', 400, 'reason'],
    ['usage', 400, 'reason'],
    ['password-unavailable', 503, 'reason'],
    ['too-many-logins', 429, 'reason'],
    ['folder-missing', 500, 'no such folder'],
    ['folder-paused', 500, 'folder is paused'],
    ['folder-not-running', 500, 'folder is not running'],
    ['stopped', 500, 'context canceled'],
    ['item-failed', 500, 'reason'],
  ]
  for (const [code, status, body] of cases) {
    it(code, () => {
      const reply = errorReply(new TwinfoldError(code, 'reason'), {})
      assert.deepEqual([reply?.status, reply?.body, reply?.headers], [status, `${body}\n`, undefined])
    })
  }
  it('has the status and text of the route where it declares them', () => {
    const special = { 'folder-missing': { status: 404 }, 'item-failed': { status: 409, text: 'no' } }
    const replies = (['folder-missing', 'item-failed'] as const).map((code) =>
      errorReply(new TwinfoldError(code, 'reason'), special),
    )
    assert.deepEqual(
      replies.map((reply) => [reply?.status, reply?.body]),
      [
        [404, 'no such folder\n'],
        [409, 'no\n'],
      ],
    )
  })
  it('of bodies that are too large or end early', () => {
    const replyTo = (code: string) => errorReply(Object.assign(new Error('x'), { code }), {})
    assert.deepEqual([replyTo('body-too-large')?.status, replyTo('body-incomplete')?.status], [413, 400])
    assert.equal(replyTo('EIO'), undefined, 'other errors are internal')
  })
  it('says when to try again', () => {
    assert.deepEqual(errorReply(new TooManyLogins(2_500), {})?.headers, { 'Retry-After': '3' })
  })
})
