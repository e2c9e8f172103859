import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findFiles, type FindOptions } from '../../src/cli/find-command.ts'
import { Client } from '../../src/client/client.ts'
import { recordingContext } from '../support/cli.ts'

const FOLDERS = [{ id: 'docs', label: 'Papers', path: '/data/docs' }]
const named = (name: string, type = 'file') => ({ folder: 'docs', name, type })
const PARTS = [
  { items: [named('a\u001b[31m'), named('dir', 'directory')], searched: 7, truncated: true, next: 'docs/dir' },
  { items: [named('z')], searched: 3, truncated: false },
]

async function run(args: readonly string[], options: FindOptions, parts: readonly object[] = PARTS) {
  const asked: string[] = []
  const client = new Client({
    apiKey: 'k',
    transport: async ({ path }) => {
      const reply = path === '/rest/config/folders' ? FOLDERS : parts[asked.push(path) - 1]
      return { status: 200, text: JSON.stringify(reply) }
    },
  })
  const { context, out, err } = recordingContext(client)
  assert.equal(await findFiles(context, client, args, options), 0)
  return { asked, out, err }
}

test('find prints the names of all parts of the search, and no control characters', async () => {
  const { asked, out, err } = await run(['a'], {})
  assert.deepEqual(out, ['docs  a\\x1b[31m', 'docs  dir/', 'docs  z'])
  assert.deepEqual(err, [])
  assert.equal(asked.length, 2)
})

test('find in a folder, by its label, stops at the limit and says so', async () => {
  const { asked, out, err } = await run(['a', 'Papers'], { limit: 2 })
  assert.deepEqual(asked, ['/rest/twinfold/search?folder=docs&text=a&limit=2'])
  assert.deepEqual(out, ['a\\x1b[31m', 'dir/'])
  assert.deepEqual(err, ['The first 2; there may be more: --limit COUNT shows them.'])
})

test('find prints JSON for programs, and what was compared where nothing is found', async () => {
  const { out } = await run(['a'], { json: true })
  const items = [named('a\u001b[31m'), named('dir', 'directory'), named('z')]
  assert.deepEqual(JSON.parse(out.join('\n')), { items, searched: 10, truncated: false })
  const none = await run(['x'], {}, [{ items: [], searched: 12_000, truncated: false }])
  assert.deepEqual(none.out, ['No name contains "x": 12000 names compared.'])
})
