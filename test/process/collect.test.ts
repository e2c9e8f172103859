/** Files that another device deletes stay here, by commands. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCli } from '../../src/cli/program.ts'
import { Client } from '../../src/client/client.ts'
import { parseEndpoint } from '../../src/client/endpoint.ts'
import { nodeTransport } from '../../src/client/node.ts'
import { recordingContext } from '../support/cli.ts'
import { connect, inSync, startMember, type Member } from '../support/daemon-pair.ts'
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

test('collect: what the phone deletes is kept on the server, listed, explained, brought back or deleted', async () => {
  using scratch = scratchDirectory()
  await using server = await startMember(scratch.path, 'server')
  await using phone = await startMember(scratch.path, 'phone')
  const run = commands(server)
  mkdirSync(join(phone.root, 'summer'), { recursive: true })
  for (const name of ['summer/a', 'summer/b', 'c']) writeFileSync(join(phone.root, name), `content of ${name}`)
  await connect(server, phone, { fsWatcherEnabled: false })
  await scan(phone)
  await eventually('the server has all', async () => existsSync(join(server.root, 'summer/b')) || undefined, 60_000)
  await inSync([server, phone])

  assert.equal((await run('kept', 'docs')).out, 'No kept files in folder "docs".')
  const on = await run('folder', 'set', 'docs', '--collect', 'on')
  assert.deepEqual(on, { code: 0, out: 'Folder "docs": files that others delete stay here.', err: '' })
  rmSync(join(phone.root, 'summer'), { recursive: true })
  rmSync(join(phone.root, 'c'))
  await scan(phone)
  const listed = await eventually('three kept files', async () => {
    const { out } = await run('kept', 'docs', '--json')
    const found = JSON.parse(out) as { total: number }
    return found.total === 3 ? found : undefined
  })
  assert.deepEqual(
    (listed as unknown as { items: { name: string }[] }).items.map(({ name }) => name),
    ['c', 'summer/a', 'summer/b'],
  )
  await inSync([server, phone])
  assert.match((await run('kept', 'docs')).out, /^FILE +SIZE +DELETED +BY\nc +12 B +\d{4}-.* +peer\nsummer\/a/)
  assert.match((await run('why', 'docs', 'c')).out, /it is here, although peer deleted it/)
  assert.match((await run('status', 'docs')).out, /Kept: +3 files that others deleted/)

  const setPaused = (paused: boolean) => server.daemon.request('PATCH', '/rest/config/folders/docs', { paused })
  await setPaused(true)
  assert.equal(JSON.parse((await run('kept', 'docs', '--json')).out).total, 3, 'a paused folder has its list, too')
  await setPaused(false)
  await eventually('the folder to run', async () => (await scan(server), true), 60_000)

  assert.match((await run('kept', 'docs', 'c')).err, /use one of --bring-back and --delete/)
  assert.match((await run('kept', 'docs', '--bring-back')).err, /name the files, or use --all/)
  assert.match(
    (await run('kept', 'docs', 'c', '--delete')).err,
    /would be deleted, and other devices may not have them; use --yes/,
  )
  assert.equal(existsSync(join(server.root, 'c')), true)
  const back = await run('kept', 'docs', 'summer/a', 'other', '--bring-back')
  assert.deepEqual(back, { code: 4, out: 'Brought back 1 file of folder "docs".', err: 'other: it is not kept' })
  await eventually('it is on the phone', async () => existsSync(join(phone.root, 'summer/a')) || undefined, 60_000)
  const deleted = await run('kept', 'docs', '--all', '--delete', '--yes', '--json')
  assert.deepEqual(JSON.parse(deleted.out), { folder: 'docs', action: 'delete', done: 2, failures: {} })
  for (const name of ['c', 'summer/b']) assert.equal(existsSync(join(server.root, name)), false)
  await inSync([server, phone])
})

test('shared ignores: what changes is printed first, and a broken file says why', async () => {
  using scratch = scratchDirectory()
  await using desk = await startMember(scratch.path, 'desk')
  const run = commands(desk)
  mkdirSync(desk.root)
  for (const name of ['a.tmp', 'b.tmp', 'c']) writeFileSync(join(desk.root, name), name)
  writeFileSync(join(desk.root, '.stglobalignore'), '*.tmp\n')
  await desk.daemon.addFolder('docs', desk.root, { fsWatcherEnabled: false })
  await scan(desk)
  const asked = await run('folder', 'set', 'docs', '--shared-ignores', 'on')
  assert.deepEqual(
    [asked.code, asked.out.split('\n')],
    [
      1,
      [
        '2 items would be ignored here: they stay, and changes of them are neither sent nor received',
        '  a.tmp',
        '  b.tmp',
      ],
    ],
  )
  assert.match(asked.err, /nothing was changed; use --yes/)
  const on = await run('folder', 'set', 'docs', '--shared-ignores', 'on', '--yes')
  assert.deepEqual(on, { code: 0, out: 'Folder "docs": shared ignores on.', err: '' })
  await eventually('one file is left out', async () => {
    const { out } = await run('why', 'docs', 'a.tmp')
    return out.includes('by the line "*.tmp" of .stglobalignore, which the devices share') || undefined
  })
  writeFileSync(join(desk.root, '.stglobalignore'), '[\n')
  await scan(desk)
  await eventually(
    'the problem is listed',
    async () =>
      (await run('status', 'docs')).out.includes('.stglobalignore: shared ignores: invalid pattern "["') || undefined,
  )
  assert.match((await run('why', 'docs', 'a.tmp')).out, /it is ignored here/)
})
