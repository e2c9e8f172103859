import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { get, isUsableName, parseByteRange } from '../../src/cli/content-commands.ts'
import { saveFile } from '../../src/cli/save-file.ts'
import { Client } from '../../src/client/client.ts'
import { recordingContext } from '../support/cli.ts'
import { scratchDirectory } from '../support/scratch.ts'

const ranges: [text: string, expected: object | undefined][] = [
  ['0-0', { fromBytes: 0, toBytes: 1 }],
  ['10-19', { fromBytes: 10, toBytes: 20 }],
  ['10-', { fromBytes: 10 }],
  ['-5', undefined],
  ['5-4', undefined],
  ['a-b', undefined],
  ['', undefined],
]
for (const [text, expected] of ranges) {
  test(`--range "${text}" is ${expected === undefined ? 'refused' : JSON.stringify(expected)}`, () => {
    assert.deepEqual(parseByteRange(text), expected)
  })
}

test('names of other devices that lead elsewhere are not used', () => {
  for (const name of ['..', '.', '', '/etc', 'a/b', 'a\0', '../x']) assert.ok(!isUsableName(name, 'linux'), name)
  for (const name of ['a', '..a', 'a\\b', 'C:x', '\u001b[31m']) assert.ok(isUsableName(name, 'linux'), name)
  for (const name of ['a\\b', 'C:x', 'a.', 'a ', 'a?']) assert.ok(!isUsableName(name, 'win32'), name)
})

interface Entry {
  readonly name: string
  readonly type: 'file' | 'directory' | 'symlink'
}

/** A daemon whose folder `docs` has these entries in every directory; files contain their name. */
function clientWith(entries: readonly Entry[]): Client {
  const replyTo = (path: string, query: URLSearchParams): unknown => {
    switch (path) {
      case '/rest/config/folders':
        return [{ id: 'docs', label: '', path: '/data/docs' }]
      case '/rest/twinfold/why':
        return { global: { type: 'FILE_INFO_TYPE_DIRECTORY', size: 0, deleted: false } }
      default: {
        const isTop = query.get('prefix') === 'dir'
        const listed = (isTop ? entries : []).map((each) => ({ ...each, sizeBytes: 1, deleted: false }))
        return { total: listed.length, truncated: false, entries: query.get('page') === '1' ? listed : [] }
      }
    }
  }
  return new Client({
    apiKey: 'key',
    transport: async ({ path, streamed }) => {
      const { pathname, searchParams } = new URL(path, 'http://x')
      if (streamed !== true) return { status: 200, text: JSON.stringify(replyTo(pathname, searchParams)) }
      const body = (async function* () {
        yield Buffer.from(searchParams.get('file') ?? '')
      })()
      return { status: 200, text: '', body }
    },
  })
}

test('a directory with hostile names is saved inside its target only', async () => {
  using scratch = scratchDirectory()
  const hostile = ['..', '../out', '/out', 'a/../../out'].map((name) => ({ name, type: 'directory' as const }))
  const entries = [...hostile, { name: '../evil', type: 'file' as const }, { name: 'good', type: 'file' as const }]
  const client = clientWith(entries)
  const { context, err } = recordingContext(client)
  const to = join(scratch.path, 'target')
  assert.equal(await get(context, client, 'docs', 'dir', { to, force: true, json: false }), 4)
  assert.deepEqual(readdirSync(scratch.path), ['target'])
  assert.deepEqual(readdirSync(to), ['good'])
  assert.equal(err.length, 5)
})

test('a symlink in the target is not followed', async () => {
  using scratch = scratchDirectory()
  const [to, elsewhere] = [join(scratch.path, 'target'), join(scratch.path, 'elsewhere')]
  for (const directory of [to, elsewhere, join(to, 'dir')]) mkdirSync(directory)
  symlinkSync(elsewhere, join(to, 'dir/sub'))
  const client = clientWith([{ name: 'sub', type: 'directory' }])
  const { context } = recordingContext(client)
  const saving = get(context, client, 'docs', 'dir', { to, force: true, json: false })
  await assert.rejects(saving, { code: 'refused', message: /dir\/sub exists already/ })
})

test('a file that is cut off leaves nothing, and one that appears meanwhile is not replaced', async () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'f')
  const file = { path, modifiedMs: 0, replace: false, id: 'x', onBytes: () => {} }
  const cut = (async function* () {
    yield Buffer.from('begin')
    throw new Error('cut')
  })()
  await assert.rejects(saveFile({ ...file, body: cut }), /cut/)
  assert.deepEqual(readdirSync(scratch.path), [])
  const racing = (async function* () {
    yield Buffer.from('theirs')
    writeFileSync(path, 'mine')
  })()
  await assert.rejects(saveFile({ ...file, body: racing }), { code: 'refused' })
  assert.deepEqual([readdirSync(scratch.path), readFileSync(path, 'utf8')], [['f'], 'mine'])
})
