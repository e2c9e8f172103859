/** Between two devices: a resolved conflict is undone exactly on both, and a pull does what the plan says. */
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runCli } from '../../src/cli/program.ts'
import { Client } from '../../src/client/client.ts'
import { parseEndpoint } from '../../src/client/endpoint.ts'
import { nodeTransport } from '../../src/client/node.ts'
import type { PlanJson } from '../../src/rest/plan.ts'
import { recordingContext } from '../support/cli.ts'
import { connect, inSync, startMember, statusOf, treeOf, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const COPY = 'd/plan.sync-conflict-20250102-030405-ABCDEFG.txt'
const scratch = scratchDirectory()
let [a, b]: readonly [Member, Member] = [undefined!, undefined!]

before(async () => {
  ;[a, b] = await Promise.all([startMember(scratch.path, 'a'), startMember(scratch.path, 'b')])
  for (const { root } of [a, b]) mkdirSync(root)
  mkdirSync(join(a.root, 'd'))
  for (const [name, mode, timeS] of [
    ['d/plan.txt', 0o640, 1_600_000_001.25],
    [COPY, 0o600, 1_600_000_002.5],
  ] as const) {
    writeFileSync(join(a.root, name), `content of ${name}`)
    chmodSync(join(a.root, name), mode)
    utimesSync(join(a.root, name), timeS, timeS)
  }
  await connect(a, b, { versioning: { type: 'trashcan', params: {} }, fsWatcherEnabled: false })
  await a.daemon.post('/rest/db/scan?folder=docs')
  await eventually('the files there', async () => (await statusOf(b)).globalTotalItems >= 3 || undefined)
  await inSync([a, b])
})

after(async () => {
  await a?.[Symbol.asyncDispose]()
  await b?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

/** Names, contents, modes and times of the folder, without old versions. */
function exactTree({ root }: Member): readonly string[] {
  return [...treeOf(root)]
    .filter(([path]) => !path.startsWith('.stversions'))
    .map(([path, { what, modifiedNs }]) => `${path} ${what} ${modifiedNs / 1_000n}`)
}

/** The tokens of requests, as the page collects them. */
function withUndo({ daemon }: Member): { readonly client: Client; readonly tokens: string[] } {
  const tokens: string[] = []
  const transport = nodeTransport(parseEndpoint(daemon.url, { useTls: false }))
  const wrapped = async (request: Parameters<typeof transport>[0]) => {
    const reply = await fetch(`${daemon.url}${request.path}`, {
      method: request.method,
      headers: { ...request.headers, 'X-Twinfold-Undo': 'wanted' },
      ...(request.body !== undefined && { body: request.body }),
    })
    const token = reply.headers.get('X-Twinfold-Undo')
    if (token !== null) tokens.push(token)
    return { status: reply.status, text: await reply.text() }
  }
  return { client: new Client({ apiKey: daemon.apiKey, transport: wrapped }), tokens }
}

for (const keep of ['original', 'copy'] as const) {
  test(`the undo of a conflict whose ${keep} was kept brings back both files on both devices`, async () => {
    const trees = [exactTree(a), exactTree(b)]
    assert.deepEqual(trees[0], trees[1])
    assert.equal(trees[0]!.length, 3)
    const { client, tokens } = withUndo(a)
    const body = { keep, names: [COPY], mayRemove: false }
    const failures = await client.call('POST /rest/twinfold/conflicts', { query: { folder: 'docs' }, body })
    assert.deepEqual(failures, {})
    await eventually('the copy gone there', () => !exactTree(b).some((line) => line.startsWith(COPY)) || undefined)
    await client.call('POST /rest/twinfold/undo', { body: { tokens } })
    assert.deepEqual(exactTree(a), trees[0])
    await eventually('both there', () => JSON.stringify(exactTree(b)) === JSON.stringify(trees[1]) || undefined)
    await assert.rejects(client.call('POST /rest/twinfold/undo', { body: { tokens } }), /undone already/)
  })
}

test('a plan of another type names what the pull then does, and the command prints it', async () => {
  await b.daemon.request('PATCH', '/rest/config/folders/docs', { type: 'sendonly' })
  for (const name of ['new-1', 'new-2', 'd/new-3']) writeFileSync(join(a.root, name), 'twelve bytes')
  writeFileSync(join(a.root, 'd/plan.txt'), 'changed')
  rmSync(join(a.root, COPY))
  await a.daemon.post('/rest/db/scan?folder=docs')
  await eventually('the need', async () => (await statusOf(b)).needTotalItems === 5 || undefined)
  const plan = (await b.daemon.get('/rest/twinfold/plan?folder=docs&action=type:sendreceive')) as PlanJson
  assert.deepEqual(
    plan.effects.map(({ effect, device, items, bytes, examples }) => [effect, device, items, bytes, examples.length]),
    [
      ['fetch', '', 3, 36, 3],
      ['replace', '', 1, 7, 1],
      ['delete', '', 1, `content of ${COPY}`.length, 1],
    ],
  )
  const client = new Client({
    transport: nodeTransport(parseEndpoint(b.daemon.url, { useTls: false })),
    apiKey: b.daemon.apiKey,
  })
  const { context, out } = recordingContext(client)
  assert.equal(await runCli(context, ['plan', 'docs', 'override']), 0)
  // Overridden, the other device would delete the new files, and get back the changed and the deleted one.
  assert.match(out.join('\n'), /3 +36 B +deleted +peer[^]*/)
  assert.match(out.join('\n'), /1 +\d+ B +replaced +peer +d\/plan\.txt/)
  assert.match(out.join('\n'), /1 +\d+ B +fetched +peer +d\/plan\.sync-conflict/)
  const before = new Set(treeOf(b.root).keys())
  await b.daemon.request('PATCH', '/rest/config/folders/docs', { type: 'sendreceive' })
  await inSync([a, b])
  const [tree, now] = [
    exactTree(a),
    new Set([...treeOf(b.root).keys()].filter((name) => !name.startsWith('.stversions'))),
  ]
  await eventually('the trees equal', () => JSON.stringify(exactTree(b)) === JSON.stringify(tree) || undefined)
  assert.equal([...now].filter((name) => !before.has(name)).length, 3)
})
