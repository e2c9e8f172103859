import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import type { Hook, UrlTarget } from '../../../src/core/hooks/hook.ts'
import { hookEnvironment, hookRequest } from '../../../src/core/hooks/message.ts'

const TARGET: UrlTarget = {
  kind: 'url',
  url: 'https://example.com/a?b=c',
  format: 'json',
  secret: undefined,
  allowPrivate: false,
}
const HOOK: Hook = {
  id: 'h',
  name: 'phone',
  on: 'error',
  folder: undefined,
  device: undefined,
  afterMs: 0,
  createdMs: 0,
  target: TARGET,
}
const SENT = {
  id: 'the-id',
  hookId: 'h',
  on: 'error',
  timeMs: Date.parse('2026-11-01T12:00:00Z'),
  folder: { id: 'photos', label: 'Fotos – «1»' },
  device: undefined,
  text: 'Folder "Fotos – «1»" has an error',
  details: { error: 'full' },
  paths: undefined,
  isPathsComplete: false,
} as const
const NOW_MS = 1_700_000_000_999
const request = (target: Partial<UrlTarget>, hook: Partial<Hook> = {}) =>
  hookRequest({ ...HOOK, ...hook }, { ...TARGET, ...target }, SENT, NOW_MS)

describe('a request', () => {
  it('as JSON has the id, the condition, the time, the subject and the details', () => {
    const { method, url, headers, body } = request({})
    assert.deepEqual([method, url, headers['Content-Type']], ['POST', TARGET.url, 'application/json'])
    assert.deepEqual(JSON.parse(body!), {
      id: 'the-id',
      hook: 'phone',
      on: 'error',
      time: '2026-11-01T12:00:00.000Z',
      folder: SENT.folder,
      device: null,
      text: SENT.text,
      details: { error: 'full' },
    })
  })

  it('for ntfy has the text as body and a priority', () => {
    const bad = request({ format: 'ntfy' })
    assert.deepEqual([bad.url, bad.body, bad.headers['Priority']], [TARGET.url, SENT.text, 'high'])
    assert.equal(bad.headers['Title'], 'Twinfold: phone')
    assert.equal(request({ format: 'ntfy' }, { on: 'error-gone' }).headers['Priority'], 'low')
  })

  it('for Healthchecks goes to the check, or below it for a failure', () => {
    assert.equal(request({ format: 'healthchecks' }).url, 'https://example.com/a/fail?b=c')
    assert.equal(request({ format: 'healthchecks' }, { on: 'folder-in-sync' }).url, TARGET.url)
  })

  it('of all-in-sync is a GET without a body in every format', () => {
    for (const format of ['json', 'ntfy', 'healthchecks'] as const) {
      const { method, url, body } = request({ format }, { on: 'all-in-sync' })
      assert.deepEqual([method, url, body], ['GET', TARGET.url, undefined])
    }
  })

  it('is signed as Standard Webhooks does: id, time of the attempt and body', () => {
    assert.equal(request({}).headers['Webhook-Signature'], undefined)
    const key = Buffer.from('a key of 24 bytes at all')
    const expected = (body: string | undefined) =>
      `v1,${createHmac('sha256', key)
        .update(`the-id.1700000000.${body ?? ''}`)
        .digest('base64')}`
    for (const secret of [key.toString(), `whsec_${key.toString('base64')}`]) {
      const signed = request({ secret })
      assert.equal(signed.headers['Webhook-Id'], 'the-id')
      assert.equal(signed.headers['Webhook-Timestamp'], '1700000000')
      assert.equal(signed.headers['Webhook-Signature'], expected(signed.body))
    }
    const call = request({ secret: key.toString() }, { on: 'all-in-sync' })
    assert.equal(call.headers['Webhook-Signature'], expected(undefined))
  })
})

it('the environment of a program has no NUL, whatever other devices have sent', () => {
  const environment = hookEnvironment(HOOK, { ...SENT, text: 'a\0b', device: { id: 'D', name: 'n\0m' } })
  assert.deepEqual(
    [environment['TWINFOLD_HOOK_TEXT'], environment['TWINFOLD_DEVICE_NAME'], environment['TWINFOLD_FOLDER']],
    ['ab', 'nm', 'photos'],
  )
  assert.deepEqual(JSON.parse(environment['TWINFOLD_HOOK_DETAILS']!), { error: 'full' })
})
