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
  assert.equal((await run('find', 'SUMMER')).out, 'docs  summer/')
  assert.equal((await run('find', 'mer/b', 'docs')).out, 'summer/b')

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

  await rewindByCommands(server, run, changed.time)
  const kept = (await query()).entries
  await server.daemon.signal('SIGKILL')
  await using again = await restartMember(server)
  const after = (await again.daemon.get('/rest/twinfold/history?folder=docs')) as HistoryJson
  assert.deepEqual(after.entries, kept)
})

type Run = ReturnType<typeof commands>

/** The deleted file comes back from an old version; the content before the edit is nowhere. */
async function rewindByCommands(server: Member, run: Run, editedAt: string): Promise<void> {
  const to = new Date(Date.parse(editedAt) - 1).toISOString()
  mkdirSync(join(server.root, '.stversions/summer'), { recursive: true })
  writeFileSync(join(server.root, '.stversions/summer/b'), 'content of summer/b')
  writeFileSync(join(server.root, '.stversions/summer/a'), 'the wrong content!!')
  const shown = await run('rewind', 'docs', '--to', to)
  assert.equal(shown.out, 'Restorable: 1 item, 19 B: summer/b\nGone: 1 item, 19 B: summer/a\nNewer, kept: 0 items, 0 B')
  assert.ok(!existsSync(join(server.root, 'summer/b')), 'nothing is changed without --apply')
  assert.match((await run('rewind', 'docs', '--to', '10 y')).err, /flag --to: '10 y' is invalid/)
  assert.match((await run('rewind', 'docs', '--to', '9d')).err, /begins at .*: choose a later time/)
  assert.match((await run('rewind', 'docs')).err, /never rewound; name the time with --to/)
  const done = await run('rewind', 'docs', 'summer', '--to', to, '--apply')
  assert.deepEqual([done.code, done.err], [4, 'summer/a: its content is neither here nor on a connected device'])
  assert.match(done.out, /Rewound folder "docs": 1 item \(19 B\) as of /)
  assert.equal(readFileSync(join(server.root, 'summer/b'), 'utf8'), 'content of summer/b')
  const last = JSON.parse((await run('rewind', 'docs', '--json')).out) as { rewind: { state: string; rewound: number } }
  assert.deepEqual([last.rewind.state, last.rewind.rewound], ['done', 1])
  writeFileSync(join(server.root, 'summer/b'), 'edited after the rewind')
  await scan(server)
  const replaces = await run('rewind', 'docs', 'summer/b', '--to', to, '--apply')
  assert.match(replaces.err, /1 item of folder "docs" would be replaced on all devices.*use --yes, or --beside/)
  assert.equal((await run('rewind', 'docs', 'summer/b', '--to', to, '--apply', '--beside')).code, 0)
  assert.equal(readFileSync(join(server.root, 'summer/b'), 'utf8'), 'edited after the rewind')
  assert.match((await run('rewind', 'docs', '--stop')).err, /not being rewound/)
}
