/** What changed here, when and by whom, by REST and commands. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCli } from '../../src/cli/program.ts'
import { Client } from '../../src/client/client.ts'
import { parseEndpoint } from '../../src/client/endpoint.ts'
import { nodeTransport } from '../../src/client/node.ts'
import type { HistoryJson } from '../../src/rest/history.ts'
import { recordingContext } from '../support/cli.ts'
import { connect, inSync, restartMember, startMember, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

function commands({ daemon }: Member) {
  const transport = nodeTransport(parseEndpoint(daemon.url, { useTls: false }))
  const client = new Client({ transport, apiKey: daemon.apiKey })
  return async (...args: readonly string[]) => {
    const { context, out, err } = recordingContext(client)
    return { code: await runCli(context, args), out: out.join('\n'), err: err.join('\n') }
  }
}

const scan = ({ daemon }: Member) => daemon.post('/rest/db/scan?folder=docs')

test('history: first scan, edits here, pulls from another device, by REST and by commands', async () => {
  using scratch = scratchDirectory()
  await using server = await startMember(scratch.path, 'server')
  await using phone = await startMember(scratch.path, 'phone')
  const run = commands(server)
  const query = async (more = ''): Promise<HistoryJson> =>
    (await server.daemon.get(`/rest/twinfold/history?folder=docs${more}`)) as HistoryJson
  mkdirSync(join(server.root, 'summer'), { recursive: true })
  for (const name of ['summer/a', 'summer/b']) writeFileSync(join(server.root, name), `content of ${name}`)
  await connect(server, phone, { fsWatcherEnabled: false })
  await scan(server)
  await eventually('the phone has all', async () => existsSync(join(phone.root, 'summer/b')) || undefined, 60_000)
  await inSync([server, phone])
  const first = await query()
  assert.deepEqual(
    first.entries.map(({ kind }) => kind),
    ['baseline'],
  )
  assert.equal(first.entries[0]?.baseline?.files, 2)
  assert.match((await run('history', 'docs')).out, /first scan +\d+ B +2 files/)

  writeFileSync(join(server.root, 'summer/a'), 'edited here')
  await scan(server)
  await eventually(
    'the edit',
    async () => readFileSync(join(phone.root, 'summer/a'), 'utf8') === 'edited here' || undefined,
  )
  rmSync(join(phone.root, 'summer/b'))
  await scan(phone)
  await eventually('the deletion', async () => !existsSync(join(server.root, 'summer/b')) || undefined, 60_000)
  await inSync([server, phone])
  const { entries, next } = await query()
  assert.deepEqual(
    entries.map(({ kind, how, path }) => `${how} ${kind} ${path}`),
    ['pull deleted summer/b', 'scan changed summer/a', 'scan baseline '],
  )
  assert.equal(next, null)
  const [deleted, changed] = entries
  const peer = phone.id.slice(0, 7)
  assert.deepEqual([deleted?.by, deleted?.via], [peer, [peer]])
  assert.equal(deleted?.before?.size, 'content of summer/b'.length)
  assert.equal(changed?.after?.size, 11)
  assert.notEqual(changed.fromVersion, changed.toVersion)
  assert.ok(Math.abs(Date.parse(changed.time) - Date.now()) < 120_000)

  assert.deepEqual((await query(`&by=${phone.id}`)).entries, [deleted])
  assert.deepEqual((await query('&file=summer/a')).entries, [changed])
  const page = await query('&limit=1')
  assert.deepEqual([page.entries, page.next], [[deleted], deleted?.id])
  assert.deepEqual((await query(`&limit=1&cursor=${page.next}`)).entries, [changed])
  const later = new Date(Date.now() + 3_600_000).toISOString()
  assert.deepEqual((await query(`&since=${later}`)).entries, [])
  for (const wrong of ['&since=then', '&cursor=x', '&by=A', '&file=../x'])
    await assert.rejects(query(wrong), /400/, wrong)

  const text = await run('history', 'docs', 'summer', '--since', '1h', '--by', 'peer')
  assert.match(text.out, /^TIME +BY +WHAT +SIZE +PATH\n\S+Z +peer +deleted, pulled +19 B +summer\/b$/)
  const all = JSON.parse((await run('history', '--limit', '2', '--json')).out) as HistoryJson
  assert.deepEqual(
    all.entries.map(({ path }) => path),
    ['summer/b', 'summer/a'],
  )
  assert.match((await run('history', 'docs', '--since', 'never')).err, /flag --since: 'never' is invalid/)
  assert.match((await run('history', 'docs', '--by', 'stranger')).err, /no device/)

  await server.daemon.signal('SIGKILL')
  await using again = await restartMember(server)
  const after = (await again.daemon.get('/rest/twinfold/history?folder=docs')) as HistoryJson
  assert.deepEqual(after.entries, entries)
})
