import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { durationText, parseDuration } from '../../../src/core/duration.ts'
import { HOOK_UNITS, hookFields, makeHook, parseHooks, type Hook, type NewHook } from '../../../src/core/hooks/hook.ts'

const MADE = { id: 'id', createdMs: Date.parse('2026-11-01T00:00:00Z') }
const URL_TARGET = {
  kind: 'url',
  url: 'https://example.com/x',
  format: 'json',
  secret: undefined,
  allowPrivate: false,
} as const
const WANTED: NewHook = {
  name: 'phone',
  on: 'error',
  folder: undefined,
  device: undefined,
  afterMs: undefined,
  target: URL_TARGET,
}
const make = (more: Partial<NewHook>, others: readonly Hook[] = []) => makeHook(others, { ...WANTED, ...more }, MADE)
const url = (more: Partial<Extract<Hook['target'], { kind: 'url' }>>) => ({ target: { ...URL_TARGET, ...more } })

describe('a new hook', () => {
  it('gets the usual time of its condition', () => {
    assert.equal(make({}).afterMs, 10_000)
    assert.equal(make({ on: 'device-away' }).afterMs, 3 * 86_400_000)
    assert.equal(make({ on: 'conflict' }).afterMs, 0)
    assert.equal(make({ on: 'folder-behind', afterMs: 60_000 }).afterMs, 60_000)
  })

  it('is refused with the reason where it cannot work', () => {
    const refused = [
      [{ name: '../x' }, /name must be/],
      [{ name: '' }, /name must be/],
      [{ on: 'conflict', afterMs: 1 }, /leave out after/],
      [{ on: 'all-in-sync', afterMs: 59_999 }, /at least 1m/],
      [{ afterMs: 400 * 86_400_000 }, /at most 366 days/],
      [{ on: 'device-away', folder: 'photos' }, /leave out the folder/],
      [{ on: 'error', device: 'D' }, /leave out the device/],
      [url({ url: 'ftp://example.com' }), /https:\/\//],
      [url({ url: 'not a url' }), /https:\/\//],
      [url({ url: 'https://user:word@example.com' }), /must not contain a user/],
      [url({ url: 'http://127.0.0.1/' }), /private address; allow/],
      [url({ url: 'http://[::1]/' }), /private address; allow/],
      [url({ url: 'http://0x7f.1/' }), /private address; allow/],
      [url({ secret: 'short' }), /at least 16 characters/],
      [{ target: { kind: 'program', program: '', args: [] } }, /program is empty/],
      [{ target: { kind: 'program', program: 'a\0b', args: [] } }, /no NUL/],
      [{ target: { kind: 'program', program: 'a', args: Array.from({ length: 65 }, () => 'x') } }, /at most 64/],
    ] as const
    for (const [more, reason] of refused) {
      assert.throws(() => make(more), { code: 'bad-request', message: reason }, JSON.stringify(more))
    }
    assert.throws(() => make({}, [make({})]), { code: 'bad-request', message: /already/ })
    const many = Array.from({ length: 50 }, (_, i) => make({ name: `h${i}` }))
    assert.throws(() => make({}, many), { code: 'bad-request', message: /50 hooks/ })
    assert.equal(make(url({ url: 'http://127.0.0.1/', allowPrivate: true })).name, 'phone')
  })
})

describe('the file of hooks', () => {
  const program = make({ name: 'p', target: { kind: 'program', program: '/bin/x', args: ['a b', '--c'] } })
  const signed = make({ ...url({ secret: '0123456789abcdef' }), folder: 'photos' })

  it('keeps every field', () => {
    const text = JSON.stringify(hookFields([program, signed]))
    assert.deepEqual(parseHooks(JSON.parse(text)), [program, signed])
  })

  it('is refused with the place of the damage', () => {
    const damaged = (field: string, value: unknown) => {
      const fields = JSON.parse(JSON.stringify(hookFields([program])))
      fields.hooks[0][field] = value
      return () => parseHooks(fields)
    }
    const values: readonly (readonly [string, unknown])[] = [
      ['id', ''],
      ['name', 7],
      ['on', 'everything'],
      ['folder', 7],
      ['device', {}],
      ['afterMs', '1'],
      ['created', 'x'],
    ]
    for (const [field, value] of values) {
      const message = `hooks[0].${field} is not valid`
      assert.throws(damaged(field, value), { code: 'config-invalid', message })
    }
    assert.throws(damaged('target', { kind: 'program', program: 'x', args: 'y' }), /hooks\[0\]\.target\.args/)
    assert.throws(damaged('target', { kind: 'url', url: 'x', format: 'json' }), /target\.url/)
    assert.throws(damaged('target', { kind: 'url', url: 'http://x', format: 'yaml' }), /target\.format/)
    assert.throws(() => parseHooks([]), { code: 'config-invalid' })
  })
})

it('durations', () => {
  for (const text of ['30s', '10m', '2h', '3d', '1w'])
    assert.equal(durationText(parseDuration(text, HOOK_UNITS)!), text)
  assert.deepEqual([durationText(0), durationText(90_000), durationText(90 * 60_000)], ['0s', '90s', '90m'])
  for (const text of ['', '10', 'm', '-1m', '1.5h', '1y', '999999s'])
    assert.equal(parseDuration(text, HOOK_UNITS), undefined, text)
})
