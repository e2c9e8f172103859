/** The deletion guard, by commands: a disk that is gone is held, explained, and either back or applied. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCli } from '../../src/cli/program.ts'
import { Client } from '../../src/client/client.ts'
import { parseEndpoint } from '../../src/client/endpoint.ts'
import { nodeTransport } from '../../src/client/node.ts'
import { recordingContext } from '../support/cli.ts'
import { connect, inSync, startMember, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const FILES = 25

function commands({ daemon }: Member) {
  const transport = nodeTransport(parseEndpoint(daemon.url, { useTls: false }))
  const client = new Client({ transport, apiKey: daemon.apiKey })
  return async (...args: readonly string[]) => {
    const { context, out, err } = recordingContext(client)
    return { code: await runCli(context, args), out: out.join('\n'), err: err.join('\n') }
  }
}

const scan = ({ daemon }: Member) => daemon.post('/rest/db/scan?folder=docs')
const countOf = ({ root }: Member) => (existsSync(join(root, 'd')) ? readdirSync(join(root, 'd')).length : 0)

test('guard: a loss of the own disk is held, explained, vanishes with the disk back, and is applied', async () => {
  using scratch = scratchDirectory()
  await using server = await startMember(scratch.path, 'server')
  await using phone = await startMember(scratch.path, 'phone')
  const run = commands(server)
  mkdirSync(join(server.root, 'd'), { recursive: true })
  for (let i = 0; i < FILES; i++) writeFileSync(join(server.root, `d/f${i}`), `content ${i}`)
  await connect(server, phone, { fsWatcherEnabled: false })
  await scan(server)
  await eventually('the phone has all', async () => countOf(phone) === FILES || undefined, 60_000)
  await inSync([server, phone])
  assert.equal((await run('folder', 'set', 'docs', '--guard', 'on')).out, 'Folder "docs": deletion guard on.')
  assert.equal((await run('guard')).out, 'Nothing is held.')
  assert.match((await run('guard', 'apply', 'docs', '--yes')).err, /the deletion guard holds nothing in this folder/)
  assert.match((await run('guard', 'refuse')).err, /name the folder/)

  const hook = await run('hook', 'add', 'watch', '--on', 'guard-held', '--exec', process.execPath, '--', '-e', '0')
  assert.equal(hook.code, 0, hook.err)

  const aside = join(scratch.path, 'aside')
  renameSync(join(server.root, 'd'), aside)
  await scan(server)
  await eventually('the hook', async () => {
    const { out } = await run('hook', 'log', 'watch')
    return /delivered +The guard of folder "docs" holds 25 deletions/.test(out) || undefined
  })
  const metrics = await (await server.daemon.request('GET', '/metrics')).text()
  assert.match(metrics, /^twinfold_guard_held_items\{folder="docs",kind="deletions"\} 25$/m)
  const listed = (await run('guard')).out
  assert.match(listed, /^folder "docs": 25 files missing here; the guard holds that and announces nothing, since 20/)
  assert.match(listed, /"guard apply docs" announces that they are gone; "guard refuse docs" fetches them/)
  const [held] = JSON.parse((await run('guard', 'show', 'docs', '--json')).out).held
  assert.deepEqual([held.side, held.origin, held.deletions, held.examples.length], ['local', 'local', FILES, 20])
  assert.match(
    (await run('why', 'docs', 'd/f1')).out,
    /missing or empty here, as 25 files are: the deletion guard holds/,
  )
  const why = (await run('why', 'docs')).out
  assert.match(why, /25 files missing here; the guard holds that/)
  assert.doesNotMatch(why, /in sync/)
  assert.match((await run('status')).out, /^docs .* held .*\n[^]*^docs: the deletion guard holds a loss of files/m)
  assert.match((await run('status', 'docs')).out, /Held: +25 files missing here/)
  assert.match((await run('guard', 'apply', 'docs')).err, /25 files of folder "docs" would be applied; use --yes/)
  const bad = await server.daemon.request('POST', '/rest/twinfold/guard/apply?folder=docs&side=both')
  assert.equal(bad.status, 400)
  renameSync(aside, join(server.root, 'd'))
  await scan(server)
  assert.equal((await run('guard')).out, 'Nothing is held.')

  rmSync(join(server.root, 'd'), { recursive: true })
  await scan(server)
  await scan(phone)
  assert.equal(countOf(phone), FILES)
  const done = await run('guard', 'apply', 'docs', '--yes')
  assert.deepEqual(done, { code: 0, out: 'Folder "docs": the loss of 25 files is applied.', err: '' })
  await eventually('the phone has none', async () => countOf(phone) === 0 || undefined, 60_000)
  assert.equal((await run('guard', 'dismiss', 'docs')).out, 'Folder "docs": dismissed.')
})
