import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseEndpoint } from '../../src/client/endpoint.ts'
import { nodeTransport } from '../../src/client/node.ts'
import { runCli } from '../../src/cli/program.ts'
import { Client } from '../../src/client/client.ts'
import { recordingContext } from '../support/cli.ts'
import { startMember, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** One command for one of the devices, without a process of its own: there are many. */
async function run({ daemon }: Member, ...args: string[]): Promise<Outcome> {
  const transport = nodeTransport(parseEndpoint(daemon.url, { useTls: false }))
  const { context, out, err } = recordingContext(new Client({ transport, apiKey: daemon.apiKey }))
  const code = await runCli(context, args)
  return { code, out: out.map((line) => `${line}\n`).join(''), err: err.join('\n') }
}

/** The output of a command that must succeed. */
async function outputOf(member: Member, ...args: string[]): Promise<string> {
  const { code, out, err } = await run(member, ...args)
  assert.deepEqual({ code, err }, { code: 0, err: '' }, args.join(' '))
  return out
}

/** Waits until a list that grows by itself holds the text. */
function outputEventually(member: Member, text: RegExp, ...args: string[]): Promise<string> {
  return eventually(
    `"${args.join(' ')}" shows ${text}`,
    async () => {
      const out = await outputOf(member, ...args)
      return text.test(out) ? out : undefined
    },
    60_000,
  )
}

/** Commands that name a wrong device or folder. */
async function assertRefusals(anna: Member, ben: Member): Promise<void> {
  for (const [args, expected] of [
    [['device', 'pause', anna.id], /this is the ID of this device/],
    [['device', 'remove', 'unknown'], /there is no device "unknown"; known devices/],
    [['device', 'add', 'rubbish'], /rubbish|device ID/],
    [['device', 'add', ben.id], /already exists, as "ben"/],
    [['pending', 'accept', 'nope'], /no pending device or folder "nope"/],
  ] as const) {
    const refused = await run(anna, ...args)
    assert.deepEqual([refused.code, refused.out], [1, ''], args.join(' '))
    assert.match(refused.err, expected)
  }
}

test('two users share a folder with commands only: add, pending, accept, why, pause, remove', async () => {
  using scratch = scratchDirectory()
  await using anna = await startMember(scratch.path, 'anna')
  await using ben = await startMember(scratch.path, 'ben')
  mkdirSync(anna.root)
  writeFileSync(join(anna.root, 'a.txt'), 'hello')
  await outputOf(anna, 'folder', 'add', anna.root, '--id', 'docs', '--label', 'Papers', '--no-watch')
  assert.equal(await outputOf(ben, 'pending'), 'No pending devices or folders.\n')

  assert.match(
    await outputOf(
      anna,
      'device',
      'add',
      ben.id.toLowerCase(),
      '--name',
      'ben',
      '--address',
      `tcp://127.0.0.1:${ben.port}`,
      '--folder',
      'docs',
    ),
    /^Added device /,
  )
  assert.match(await outputEventually(ben, /^device /m, 'pending'), new RegExp(`device +${anna.id} `))
  assert.match(await outputOf(ben, 'pending', 'accept', anna.id, '--name', 'anna'), /^Added device /)
  assert.match(
    await outputEventually(ben, /^folder +docs +Papers +anna$/m, 'pending'),
    /Use "twinfold pending accept ID"/,
  )
  const incomplete = await run(ben, 'pending', 'accept', 'docs')
  assert.deepEqual([incomplete.code, incomplete.out], [1, ''])
  assert.match(incomplete.err, /a directory for the files is required/)
  await outputOf(ben, 'pending', 'accept', 'docs', '--path', ben.root, '--json')

  await eventually(
    'the file',
    () => (readFileSync(join(ben.root, 'a.txt'), 'utf8') === 'hello' ? true : undefined),
    60_000,
  )
  assert.match(
    await outputEventually(ben, /it is here, in the newest version/, 'why', 'Papers', 'a.txt'),
    /devices that have the newest version: anna/,
  )
  const answer: { upToDate: boolean; local: { name: string } } = JSON.parse(
    await outputOf(ben, 'why', 'docs', 'a.txt', '--json'),
  )
  assert.deepEqual([answer.upToDate, answer.local.name], [true, 'a.txt'])
  assert.match(
    await outputOf(ben, 'why', 'docs', 'nothing\x1b'),
    /nothing\\x1b in folder "docs":\n {2}- there is no such file here, and no device has announced one/,
  )

  assert.match(await outputOf(anna, 'device', 'list'), new RegExp(`^ben +connected +\\S+ \\S+ +${ben.id} +tcp://`, 'm'))
  assert.match(await outputOf(anna, 'device', 'pause', 'ben'), /"ben" \(.*\) is paused/)
  assert.match(await outputOf(anna, 'device', 'list'), /^ben +paused /m)
  await outputOf(anna, 'device', 'resume', 'ben')
  const states: { name: string; state: string }[] = JSON.parse(await outputOf(anna, 'device', 'list', '--json'))
  assert.equal(states.find((each) => each.name === 'ben')?.state === 'paused', false)

  await assertRefusals(anna, ben)
  assert.match(await outputOf(anna, 'device', 'remove', 'ben'), /^Removed device "ben"/)
  assert.ok(!(await outputOf(anna, 'device', 'list')).includes(ben.id))
  assert.equal(readFileSync(join(anna.root, 'a.txt'), 'utf8'), 'hello')
})

test('ignored requests do not become pending again', async () => {
  using scratch = scratchDirectory()
  await using anna = await startMember(scratch.path, 'anna')
  await using ben = await startMember(scratch.path, 'ben')
  mkdirSync(anna.root)
  await outputOf(anna, 'folder', 'add', anna.root, '--id', 'docs', '--no-watch')
  await outputOf(anna, 'device', 'add', ben.id, '--address', `tcp://127.0.0.1:${ben.port}`, '--folder', 'docs')
  await outputOf(ben, 'device', 'add', anna.id, '--name', 'anna', '--address', `tcp://127.0.0.1:${anna.port}`)
  await outputEventually(ben, /^folder +docs /m, 'pending')
  assert.match(await outputOf(ben, 'pending', 'ignore', 'docs'), /^Folder "docs" is ignored now/)
  await outputEventually(ben, /^No pending devices or folders\.\n$/, 'pending')

  await outputOf(ben, 'device', 'remove', 'anna')
  await outputEventually(ben, /^device /m, 'pending')
  assert.match(await outputOf(ben, 'pending', 'ignore', anna.id), /is ignored now/)
  await outputEventually(ben, /"devices": \{\},\n {2}"folders": \{\}/, 'pending', '--json')
})
