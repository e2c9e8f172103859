/** Merges by commands: offered, by lines, of additions, and by a program. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCli } from '../../src/cli/program.ts'
import { Client } from '../../src/client/client.ts'
import { parseEndpoint } from '../../src/client/endpoint.ts'
import { nodeTransport } from '../../src/client/node.ts'
import type { MergeJson } from '../../src/rest/merge.ts'
import { recordingContext } from '../support/cli.ts'
import { connect, inSync, startMember, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const LINES = ['one', 'two', 'three', 'four', 'five', 'six']
const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')
const MERGED = text(LINES.with(0, 'ONE').with(5, 'SIX'))
const EARLY_S = 1_700_000_000
/** Takes the keys of both sides. */
const MERGE_KEYS = `
  const { readFileSync, writeFileSync } = require('node:fs')
  const [base, left, right] = process.argv.slice(1, 4).map((path) => JSON.parse(readFileSync(path, 'utf8')))
  writeFileSync(process.argv[4], JSON.stringify({ ...base, ...left, ...right }))`

function put({ root }: Member, name: string, content: string, timeS = EARLY_S): void {
  writeFileSync(join(root, name), content)
  utimesSync(join(root, name), timeS, timeS)
}

const scan = ({ daemon }: Member) => daemon.post('/rest/db/scan?folder=docs')

test('merge: a merged text is offered, or made by lines, of additions, and by a program', async () => {
  using scratch = scratchDirectory()
  await using desk = await startMember(scratch.path, 'desk')
  await using phone = await startMember(scratch.path, 'phone')
  const pair = [desk, phone]
  const transport = nodeTransport(parseEndpoint(desk.daemon.url, { useTls: false }))
  const client = new Client({ transport, apiKey: desk.daemon.apiKey })
  const run = async (...args: readonly string[]) => {
    const { context, out, err } = recordingContext(client)
    return { code: await runCli(context, args), out: out.join('\n'), err: err.join('\n') }
  }
  const copies = () => readdirSync(desk.root).filter((name) => name.includes('sync-conflict'))
  const readBoth = (name: string) => pair.map(({ root }) => readFileSync(join(root, name), 'utf8'))
  /** Both edit files while the desk is paused; its edits are earlier, and lose. */
  const apart = async (edits: () => void) => {
    await desk.daemon.post(`/rest/system/pause?device=${phone.id}`)
    edits()
    for (const member of pair) await scan(member)
    await desk.daemon.post(`/rest/system/resume?device=${phone.id}`)
    await eventually('the connection', async () => {
      const { connections } = (await desk.daemon.get('/rest/system/connections')) as {
        connections: Record<string, { connected: boolean }>
      }
      return connections[phone.id]?.connected || undefined
    })
    for (const member of pair) await scan(member)
  }
  const edit = (name: string, onDesk: string, onPhone: string) => {
    put(desk, name, onDesk, EARLY_S + 100)
    put(phone, name, onPhone, EARLY_S + 200)
  }

  for (const { root } of pair) mkdirSync(root)
  const names = ['offered.txt', 'overlap.txt', 'merged.txt', 'both.log', 'keys.json', 'broken.json5']
  await connect(desk, phone, { fsWatcherEnabled: false })
  assert.deepEqual(await run('folder', 'set', 'docs', '--merge', 'offer'), {
    code: 0,
    out: 'Folder "docs": merge offer.',
    err: '',
  })
  await scan(desk)
  for (const name of names) put(desk, name, name.includes('.json') ? '{"a":1}' : text(LINES))
  await scan(desk)
  await inSync(pair)
  await scan(desk)

  await apart(() => {
    edit('offered.txt', text(LINES.with(0, 'ONE')), text(LINES.with(5, 'SIX')))
    edit('overlap.txt', text(LINES.with(2, 'III')), text(LINES.with(2, '3')))
  })
  await eventually('two conflict copies', async () => copies().length === 2 || undefined)
  await inSync(pair)
  const [offered, overlapping] = copies().sort()
  const offerOf = async (name: string) =>
    (await desk.daemon.get(`/rest/twinfold/conflicts/merge?folder=docs&name=${encodeURIComponent(name)}`)) as MergeJson
  const offer = await eventually('the offer', async () => {
    const found = await offerOf(offered!).catch(() => undefined) // until the copy is scanned
    return found?.mergeable === true ? found : undefined
  })
  assert.equal(offer.merged, MERGED)
  assert.match(offer.left.hash, /^[0-9a-f]{64}$/)
  assert.notEqual(offer.left.hash, offer.right.hash)
  const { mergeable, merged, overlaps, reason } = await offerOf(overlapping!)
  assert.deepEqual([mergeable, merged, overlaps, reason], [false, undefined, 1, 'overlap'])
  await assert.rejects(offerOf('offered.txt'), /is no conflict copy/)
  await assert.rejects(offerOf('gone.sync-conflict-20260101-000000-ABCDEFG.txt'), /does not exist here/)

  const program = (script: string) =>
    JSON.stringify([process.execPath, '-e', script, '{base}', '{left}', '{right}', '{output}'])
  const json = `*.json=${program(MERGE_KEYS)}`
  const broken = `*.json5=${program('process.exit(3)')}`
  const set = ['folder', 'set', 'docs', '--merge', 'on', '--merge-union', '*.log']
  const on = await run(...set, '--merge-program', json, '--merge-program', broken)
  assert.equal(on.out, 'Folder "docs": merge on; both additions kept in *.log; merge programs for *.json, *.json5.')
  await apart(() => {
    edit('merged.txt', text(LINES.with(0, 'ONE')), text(LINES.with(5, 'SIX')))
    edit('both.log', text([...LINES, 'desk']), text([...LINES, 'phone']))
    edit('keys.json', '{"a":1,"desk":2}', '{"a":1,"phone":3}')
    edit('broken.json5', '{"a":2}', '{"a":3}')
  })
  await eventually('the merged files', async () => readBoth('merged.txt').every((each) => each === MERGED) || undefined)
  await eventually('a third conflict copy', async () => copies().length === 3 || undefined)
  await inSync(pair)
  for (const found of readBoth('both.log')) assert.equal(found, text([...LINES, 'desk', 'phone']))
  for (const found of readBoth('keys.json')) assert.deepEqual(JSON.parse(found), { a: 1, desk: 2, phone: 3 })
  assert.match(copies().join(' '), /broken\.sync-conflict-/)
  const history = await run('history', 'docs', 'merged.txt')
  assert.match(history.out, /changed, merged/)
  for (const wrong of ['*.json=["jq"]', '*.json', '=[]'])
    assert.match((await run('folder', 'set', 'docs', '--merge-program', wrong)).err, /use PATTERN=LIST/, wrong)
  const off = await run('folder', 'set', 'docs', '--merge', 'off', '--merge-union', '', '--merge-program', '')
  assert.equal(off.out, 'Folder "docs": merge off; both additions kept in no names; merge programs for no names.')
})
