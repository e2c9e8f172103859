import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shortIdOf } from '../../../src/core/device-id.ts'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { parseFolderId } from '../../../src/core/ids.ts'
import type { ConflictChoice } from '../../../src/model/types.ts'
import type { ConflictDiffJson, ConflictsJson } from '../../../src/rest/conflicts.ts'
import { file, headOf } from '../../db/records.ts'
import { FakeConfigStore, fakeConfig, fakeRest, LOCAL_ID } from '../fakes.ts'

const COPY = 'plan.sync-conflict-20250102-030405-ABCDEFG.txt'
const WANTED = { keep: 'copy', names: [COPY], mayRemove: false }
const SHOWN = { ...WANTED, shown: { [COPY]: { left: 'aa', right: 'bb' } } }

test('conflicts are resolved as the body says, and the reply has the reasons of those that are not', async () => {
  const calls: string[] = []
  const resolveConflicts = async (folder: string, copies: readonly string[], choice: object) => {
    calls.push(JSON.stringify([folder, copies, choice]))
    return new Map([[COPY, 'it is gone']])
  }
  const { send } = fakeRest({ hub: { resolveConflicts } })
  const reply = await send('POST', '/rest/twinfold/conflicts?folder=share', JSON.stringify(WANTED))
  assert.deepEqual([reply.status, JSON.parse(reply.body)], [200, { [COPY]: 'it is gone' }])
  assert.deepEqual(calls, [JSON.stringify(['share', [COPY], { keep: 'copy', mayRemove: false }])])
})

test('a body that is not complete changes nothing', async () => {
  const { send, calls } = fakeRest()
  for (const [body, message] of [
    ['', /JSON/],
    ['[]', /must be an object/],
    [JSON.stringify({ ...WANTED, keep: 'none' }), /keep must be one of/],
    [JSON.stringify({ ...WANTED, shown: {} }), /shown has no hashes of/],
    [JSON.stringify({ ...WANTED, shown: { [COPY]: { left: '' } } }), /right/],
    [JSON.stringify({ ...WANTED, keep: 'merged' }), /merged is missing/],
    [JSON.stringify({ ...WANTED, keep: 'merged', merged: 'x' }), /shown is missing/],
    [JSON.stringify({ ...SHOWN, keep: 'merged', merged: 'x'.repeat(2 ** 21 + 1) }), /at most 2 MiB/],
    [JSON.stringify({ ...SHOWN, keep: 'merged', merged: 'x', names: [COPY, COPY] }), /one conflict/],
    [JSON.stringify({ keep: 'copy', names: [COPY] }), /mayRemove is missing/],
    [JSON.stringify({ ...WANTED, names: COPY }), /names must be a list/],
    [JSON.stringify({ ...WANTED, names: [1] }), /names\[0\] must be/],
    [JSON.stringify({ ...WANTED, names: Array(501).fill(COPY) }), /names must be at most 500/],
  ] as const) {
    const reply = await send('POST', '/rest/twinfold/conflicts?folder=share', body)
    assert.equal(reply.status, 400, body.slice(0, 60))
    assert.match(reply.body, message)
  }
  assert.equal((await send('POST', '/rest/twinfold/conflicts', JSON.stringify(WANTED))).status, 400)
  assert.deepEqual(calls, [])
})

test('an unknown or paused folder is named', async () => {
  for (const [code, status] of [
    ['folder-missing', 404],
    ['folder-not-running', 404],
  ] as const) {
    const resolveConflicts = async () => {
      throw new TwinfoldError(code, 'reason')
    }
    const { send } = fakeRest({ hub: { resolveConflicts } })
    const reply = await send('POST', '/rest/twinfold/conflicts?folder=share', JSON.stringify(WANTED))
    assert.equal(reply.status, status, code)
  }
})

test('what was shown, the merged text and the name of a device reach the folder', async () => {
  const seen: ConflictChoice[] = []
  const resolveConflicts = async (_folder: string, _copies: readonly string[], choice: ConflictChoice) => {
    seen.push(choice)
    return new Map<string, string>()
  }
  const { send } = fakeRest({ hub: { resolveConflicts } })
  const post = (body: object) => send('POST', '/rest/twinfold/conflicts?folder=share', JSON.stringify(body))
  assert.equal((await post({ ...SHOWN, keep: 'merged', merged: 'both\r\n' })).status, 200)
  assert.deepEqual(seen[0]?.shown, new Map([[COPY, { left: 'aa', right: 'bb' }]]))
  assert.equal(Buffer.from(seen[0]?.merged ?? []).toString(), 'both\r\n')
  assert.equal((await post({ ...WANTED, keep: 'both' })).status, 200)
  const own = shortIdOf(LOCAL_ID)
  assert.equal(seen[1]?.deviceName?.(own), fakeConfig().devices.find(({ deviceID }) => deviceID === LOCAL_ID)?.name)
})

test('a conflict that was changed since it was shown is refused with 409', async () => {
  const resolveConflicts = async () => {
    throw new TwinfoldError('refused', `${COPY}: changed since it was shown`, { detail: 'modified' })
  }
  const { send } = fakeRest({ hub: { resolveConflicts } })
  const reply = await send('POST', '/rest/twinfold/conflicts?folder=share', JSON.stringify(SHOWN))
  assert.deepEqual([reply.status, reply.headers['x-twinfold-undo']], [409, undefined])
  assert.match(reply.body, /changed since it was shown/)
})

const record = (name: string, text: string) => ({
  ...headOf(file(name, { sizeBytes: text.length })),
  blocksHash: Buffer.from(text),
})
const side = (name: string, text: string) => ({ record: record(name, text), content: Buffer.from(text) })

async function diff(left: string | undefined, right: string, name = COPY): Promise<ConflictDiffJson> {
  const original = name.replace(/\.sync-conflict-[^.]*/, '')
  const sides = { left: left === undefined ? undefined : side(original, left), right: side(name, right) }
  const { send } = fakeRest({ explorer: { conflictSides: async () => sides } })
  const reply = await send('GET', `/rest/twinfold/conflicts/diff?folder=share&name=${encodeURIComponent(name)}`)
  assert.equal(reply.status, 200, reply.body)
  return JSON.parse(reply.body) as ConflictDiffJson
}

test('two texts are compared by lines and words, everything else by its facts', async () => {
  const texts = await diff('a\nold word\n', 'a\nnew word\n')
  assert.deepEqual([texts.kind, texts.left?.text, texts.right.text], ['text', 'a\nold word\n', 'a\nnew word\n'])
  assert.deepEqual(texts.changes, [
    {
      leftStart: 1,
      leftCount: 1,
      rightStart: 1,
      rightCount: 1,
      words: [{ left: [{ from: 0, to: 3 }], right: [{ from: 0, to: 3 }] }],
    },
  ])
  const short = async (...args: Parameters<typeof diff>) => {
    const { kind, reason, left, changes } = await diff(...args)
    return [kind, reason, left?.text, changes.length]
  }
  assert.deepEqual(await short('a', 'a'), ['same', undefined, undefined, 0])
  assert.deepEqual(await short(undefined, 'a'), ['other', 'no-file', undefined, 0])
  assert.deepEqual(await short('a\0', 'b'), ['other', 'not-text', undefined, 0])
  assert.deepEqual(await short('a', 'b', 'p.sync-conflict-20250102-030405.PNG'), ['picture', undefined, undefined, 0])
  assert.deepEqual(await short('\n'.repeat(60_001), 'b'), ['other', 'too-large', undefined, 0])
})

test('the list of all folders is one list, whose pages cross folders', async () => {
  const totals: Readonly<Record<string, number>> = { one: 3, two: 0, three: 4 }
  const conflictRange = async (folder: string, { from, count }: { from: number; count: number }) => {
    if (folder === 'two') throw new TwinfoldError('folder-not-running', 'not started')
    const names = Array.from(
      { length: totals[folder] ?? 0 },
      (_, n) => `${folder}${n}.sync-conflict-20250102-030405.txt`,
    )
    const items = names.slice(from, from + count).map((name) => {
      const global = headOf(file(name))
      return { name, global, local: undefined, others: new Map(), file: undefined }
    })
    return { total: names.length, items }
  }
  const base = fakeConfig()
  const folders = Object.keys(totals).map((id) => ({ ...base.folders[0]!, id: parseFolderId(id)! }))
  const { send } = fakeRest({
    explorer: { conflictRange },
    deps: { config: new FakeConfigStore({ ...base, folders }) },
  })
  const names = async (page: number) => {
    const reply = await send('GET', `/rest/twinfold/conflicts?page=${page}&perpage=2`)
    const { total, items } = JSON.parse(reply.body) as ConflictsJson
    assert.equal(total, 7)
    return items.map(({ folder, original }) => `${folder}/${original}`).join()
  }
  assert.deepEqual(
    [await names(1), await names(2), await names(3), await names(4), await names(5)],
    [
      'one/one0.txt,one/one1.txt',
      'one/one2.txt,three/three0.txt',
      'three/three1.txt,three/three2.txt',
      'three/three3.txt',
      '',
    ],
  )
})
