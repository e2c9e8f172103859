import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlannedEffect } from '../../../src/model/queries/action-plan.ts'
import { fakeRewinder } from '../fake-hub.ts'
import { fakeRest, LOCAL_ID } from '../fakes.ts'

const EFFECTS: readonly PlannedEffect[] = [
  { effect: 'fetch', device: undefined, items: 2, bytes: 30, examples: ['a', 'b'] },
  { effect: 'delete', device: LOCAL_ID, items: 1, bytes: 0, examples: ['c'] },
]

function planning() {
  const asked: unknown[] = []
  const plan = async (folder: string, action: object) => (asked.push([folder, action]), EFFECTS)
  return { asked, ...fakeRest({ explorer: { plan } }) }
}

test('a plan has the effects of an action, by device', async () => {
  const { asked, send } = planning()
  const actions = {
    resume: { kind: 'resume' },
    revert: { kind: 'revert' },
    'type:sendonly': { kind: 'type', type: 'sendonly' },
    [`unshare:${LOCAL_ID}`]: { kind: 'unshare', device: LOCAL_ID },
  }
  for (const [action, expected] of Object.entries(actions)) {
    const { status, body } = await send('GET', `/rest/twinfold/plan?folder=share&action=${action}`)
    assert.equal(status, 200, body)
    const effects = EFFECTS.map((each) => ({ ...each, device: each.device ?? '' }))
    assert.deepEqual(JSON.parse(body), { folder: 'share', action, effects })
    assert.deepEqual(asked.at(-1), ['share', expected])
  }
  await send('GET', '/rest/twinfold/plan?folder=share')
  assert.deepEqual(asked.at(-1), ['share', { kind: 'resume' }])
})

test('ignore patterns are planned from a body', async () => {
  const { asked, send } = planning()
  const { body } = await send('POST', '/rest/twinfold/plan?folder=share', JSON.stringify({ ignore: ['*.tmp'] }))
  assert.equal(JSON.parse(body).action, 'ignores')
  assert.deepEqual(asked, [['share', { kind: 'ignores', lines: ['*.tmp'] }]])
})

test('what is no action is refused with those that are', async () => {
  const { asked, send } = planning()
  for (const action of ['destroy', 'type:', 'type:none', 'unshare:x', ':', 'resume:x']) {
    const { status } = await send('GET', `/rest/twinfold/plan?folder=share&action=${action}`)
    assert.equal(status, 400, action)
  }
  const { body } = await send('GET', '/rest/twinfold/plan?folder=share&action=destroy')
  assert.match(body, /action must be one of resume, override, revert, remove, type:TYPE/)
  const many = JSON.stringify({ ignore: Array(2_001).fill('x') })
  assert.equal((await send('POST', '/rest/twinfold/plan?folder=share', many)).status, 400)
  assert.deepEqual(asked, [])
})

test('a rewind is planned by its preview', async () => {
  const group = (items: number, ...names: string[]) => ({ items, bytes: items * 10, names })
  const asked: unknown[] = []
  const preview = async (wanted: object) => {
    asked.push(wanted)
    const [restorable, kept, blocked] = [group(3, 'a', 'b'), group(1, 'k'), group(1, 'x')]
    const [gone, removed] = [group(0), group(2, 'r')]
    return { restorable, replaced: 1, gone, kept, removed, blocked, beside: '', isVerified: true }
  }
  const { send } = fakeRest({ deps: { rewinder: { ...fakeRewinder([]), preview } } })
  const { body } = await send('GET', '/rest/twinfold/plan?folder=share&action=rewind:2026-11-15T10:00:00Z')
  assert.deepEqual(asked, [
    { folder: 'share', path: '', momentMs: Date.parse('2026-11-15T10:00:00Z'), mode: 'in-place' },
  ])
  assert.deepEqual(JSON.parse(body).effects, [
    { effect: 'restore', device: '', items: 3, bytes: 30, examples: ['a', 'b'] },
    { effect: 'delete', device: '', items: 2, bytes: 20, examples: ['r'] },
    { effect: 'keep', device: '', items: 2, bytes: 20, examples: ['k', 'x'] },
  ])
  for (const time of ['', 'soon'])
    assert.equal((await send('GET', `/rest/twinfold/plan?folder=share&action=rewind:${time}`)).status, 400)
})
