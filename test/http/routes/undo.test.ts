/** What a request has changed is undone by its token, once, or refused with nothing changed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConflictChoice, ResolvedConflict } from '../../../src/model/types.ts'
import { fakeRest, KEY } from '../fakes.ts'

type Rest = ReturnType<typeof fakeRest>

const WANTED = { 'X-API-Key': KEY, 'X-Twinfold-Undo': 'wanted' }

/** Resolves with the token of the change. */
async function change(rest: Rest, method: string, path: string, body?: unknown): Promise<string> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const reply = await rest.call({ method, target: path, headers: WANTED, ...sent })
  assert.equal(reply.status, 200, reply.body)
  return String(reply.headers['x-twinfold-undo'] ?? '')
}

async function undo(rest: Rest, ...tokens: string[]): Promise<readonly [number, string]> {
  const { status, body } = await rest.send('POST', '/rest/twinfold/undo', JSON.stringify({ tokens }))
  return [status, body.trim()]
}

test('changes of folders and settings are undone together, and only once', async () => {
  const rest = fakeRest()
  const before = [rest.config.current.folders, rest.deps.extensions.current]
  const tokens = [
    await change(rest, 'PATCH', '/rest/config/folders/share', { label: 'New', paused: true }),
    await change(rest, 'PATCH', '/rest/config/folders/share', { label: 'Newer' }),
    await change(rest, 'PATCH', '/rest/twinfold/settings', { folders: { share: { collect: true } } }),
  ]
  assert.equal(new Set(tokens).size, 3)
  assert.deepEqual(await undo(rest, ...tokens), [200, ''])
  assert.deepEqual([rest.config.current.folders, rest.deps.extensions.current], before)
  const [status, reason] = await undo(rest, ...tokens)
  assert.equal(status, 409)
  assert.match(reason, /undone already/)
})

test('a removed folder comes back with everything that it had', async () => {
  const rest = fakeRest()
  const before = rest.config.current.folders
  const token = await change(rest, 'DELETE', '/rest/config/folders/share')
  assert.deepEqual(rest.config.current.folders, [])
  assert.deepEqual(await undo(rest, token), [200, ''])
  assert.deepEqual(rest.config.current.folders, before)
})

test('what was changed since is refused, and nothing is changed', async () => {
  const rest = fakeRest()
  const token = await change(rest, 'PATCH', '/rest/config/folders/share', { label: 'Mine' })
  const settings = await change(rest, 'PATCH', '/rest/twinfold/settings', { folders: { share: { collect: true } } })
  await change(rest, 'PATCH', '/rest/config/folders/share', { label: 'Yours' })
  const [status, reason] = await undo(rest, token, settings)
  assert.equal(status, 409)
  assert.match(reason, /folder share: label: changed since; nothing was undone/)
  assert.equal(rest.config.current.folders[0]?.label, 'Yours')
  assert.equal(rest.deps.extensions.current.folders['share']?.collect, true)
})

test('a token is given to those that want one, and ends after an hour', async () => {
  const rest = fakeRest()
  const plain = await rest.send('PATCH', '/rest/config/folders/share', JSON.stringify({ label: 'A' }))
  assert.equal(plain.headers['x-twinfold-undo'], undefined)
  assert.equal(await change(rest, 'PATCH', '/rest/config/folders/share', { label: 'A' }), '', 'nothing was changed')
  const token = await change(rest, 'PATCH', '/rest/config/folders/share', { label: 'B' })
  rest.time.nowMs += 3_600_001
  assert.equal((await undo(rest, token))[0], 409)
  assert.equal((await undo(rest, 'x'))[0], 409)
  assert.equal((await undo(rest))[0], 409)
  assert.equal(rest.config.current.folders[0]?.label, 'B')
})

test('the oldest of very many can no longer be undone', async () => {
  const rest = fakeRest()
  const tokens: string[] = []
  for (let i = 0; i < 65; i++)
    tokens.push(await change(rest, 'PATCH', '/rest/config/folders/share', { label: `L${i}` }))
  assert.equal((await undo(rest, tokens[0]!))[0], 409)
  assert.equal((await undo(rest, tokens[64]!))[0], 200)
  assert.equal(rest.config.current.folders[0]?.label, 'L63')
})

test('ignore patterns are as before, unless they were changed since', async () => {
  let lines: readonly string[] = ['a']
  const view = () => ({ ignore: lines, expanded: [], error: null })
  const hub = {
    ignores: async () => view(),
    setIgnores: async (_folder: string, next: readonly string[]) => ((lines = next), view()),
  }
  const rest = fakeRest({ hub })
  const token = await change(rest, 'POST', '/rest/db/ignores?folder=share', { ignore: ['b'] })
  lines = ['c']
  assert.match((await undo(rest, token))[1], /the ignore patterns: changed since/)
  assert.deepEqual(lines, ['c'])
  lines = ['b']
  assert.deepEqual(await undo(rest, token), [200, ''])
  assert.deepEqual(lines, ['a'])
})

test('resolved conflicts of several requests are undone by one call of the model', async () => {
  const conflict = (name: string) => ({ keep: 'copy', copy: { name }, original: name, replaced: undefined })
  const resolveConflicts = async (_: string, names: readonly string[], { onResolved }: ConflictChoice) => {
    for (const name of names) onResolved?.(conflict(name) as unknown as ResolvedConflict)
    return new Map()
  }
  const rest = fakeRest({ hub: { resolveConflicts } })
  const path = '/rest/twinfold/conflicts?folder=share'
  const tokens = [
    await change(rest, 'POST', path, { keep: 'copy', names: ['a'], mayRemove: false }),
    await change(rest, 'POST', path, { keep: 'copy', names: ['b'], mayRemove: false }),
  ]
  assert.deepEqual(await undo(rest, ...tokens), [200, ''])
  assert.deepEqual(rest.calls, ['undo share b,a'])
  assert.equal(await change(rest, 'POST', path, { keep: 'copy', names: [], mayRemove: false }), '', 'nothing resolved')
})
