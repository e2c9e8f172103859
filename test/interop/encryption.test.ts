import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { FOLDER, Network, type Kind, type Member } from '../support/sync-pair.ts'
import { missingSyncthing, runSyncthing } from '../support/syncthing.ts'
import { describeDifference, differences } from '../support/tree-compare.ts'

const skip = missingSyncthing() ?? false
const PASSWORD = 'correct horse battery staple'
const LIMIT_MS = 60_000

/** Both trust the holder only with encrypted data, and are not connected to each other. */
interface Chain {
  readonly first: Member
  readonly holder: Member
  readonly second: Member
}

async function chainOf(network: Network, kinds: readonly [Kind, Kind, Kind]): Promise<Chain> {
  const [first, holder, second] = await Promise.all([
    network.add(kinds[0], 'first'),
    network.add(kinds[1], 'holder'),
    network.add(kinds[2], 'second'),
  ])
  for (const trusted of [first, second]) {
    await trusted.introduce(holder, { untrusted: true })
    await holder.introduce(trusted)
  }
  const devices = [{ deviceID: holder.id, encryptionPassword: PASSWORD }]
  await first.share([], { devices })
  await eventually(
    'the offer',
    async () => FOLDER in ((await holder.get('/rest/cluster/pending/folders')) as object) || undefined,
  )
  await holder.share([first, second], { type: 'receiveencrypted' })
  // A Syncthing that shares before the holder has the folder stalls until it connects anew.
  await second.share([], { devices })
  return { first, holder, second }
}

async function untilAlike({ first, holder, second }: Chain): Promise<void> {
  await eventually(
    'both trusted devices are alike',
    async () => {
      if (differences([first.root, second.root]).length > 0) return undefined
      for (const member of [first, holder, second]) {
        const { state, needTotalItems } = await member.status()
        if (state !== 'idle' || needTotalItems !== 0) return undefined
      }
      return true
    },
    LIMIT_MS,
  ).catch(async (error: unknown) => {
    const facts = await Promise.all([first, holder, second].map(async (each) => [each.name, await each.status()]))
    const texts = [
      JSON.stringify(facts, undefined, 1),
      differences([first.root, second.root]).map(describeDifference).join('\n'),
    ]
    throw new Error(`${String(error)}\n${texts.join('\n')}\n${first.output.slice(-3_000)}`, { cause: error })
  })
}

function makeTree(root: string): void {
  mkdirSync(join(root, 'secret docs/inner'), { recursive: true })
  writeFileSync(join(root, 'secret docs/report.txt'), 'the plain text of the report')
  writeFileSync(join(root, 'secret docs/inner/empty'), '')
  writeFileSync(join(root, 'übung.bin'), Buffer.alloc(700_001, 'plain canary '))
  writeFileSync(join(root, 'exact.bin'), Buffer.alloc(131_072, 7))
  writeFileSync(join(root, `${'n'.repeat(150)}.txt`), 'a long name')
  symlinkSync('secret docs/report.txt', join(root, 'link'))
  utimesSync(join(root, 'secret docs/report.txt'), 1_600_000_000, 1_600_000_000)
}

/** Everything below the root of a device, with directories, and the bytes of all files. */
function* itemsOf(root: string): Generator<readonly [name: string, content: Buffer]> {
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (path.startsWith(join(root, '.stfolder'))) continue
    yield [path.slice(root.length + 1), entry.isFile() ? readFileSync(path) : Buffer.alloc(0)]
  }
}

function assertNothingPlain({ root }: Member): void {
  let files = 0
  for (const [name, content] of itemsOf(root)) {
    if (content.length > 0) files++
    assert.match(name, /^[0-9A-V]\.syncthing-enc(?:\/|$)/)
    for (const word of ['plain', 'report', 'canary', 'secret']) assert.ok(!content.includes(word), `${word} in ${name}`)
  }
  assert.ok(files > 0)
}

/** Both programs restore the files of the holder alone. */
function assertDecrypted({ first, holder }: Chain, scratch: string): void {
  const files = [...itemsOf(first.root)].filter(([, content]) => content.length > 0)
  for (const kind of ['twinfold', 'syncthing'] as const) {
    const to = join(scratch, `by ${kind}`)
    mkdirSync(to)
    const args = ['decrypt', `--to=${to}`, `--password=${PASSWORD}`, holder.root]
    const { code, output } = kind === 'syncthing' ? runSyncthing(args) : runTwinfold(args)
    assert.equal(code, 0, output)
    for (const [name, content] of files) assert.ok(readFileSync(join(to, name)).equals(content), `${name} by ${kind}`)
  }
  const wrong = runTwinfold(['decrypt', '--verify-only', '--password=another', holder.root])
  assert.equal(wrong.code, 1)
  assert.match(wrong.output, /another password/)
}

function runTwinfold(args: readonly string[]): { readonly code: number | null; readonly output: string } {
  const program = join(import.meta.dirname, '../../src/main/bin.ts')
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' })
  return { code: status, output: stdout + stderr }
}

const CHAINS: readonly (readonly [Kind, Kind, Kind])[] = [
  ['twinfold', 'syncthing', 'syncthing'],
  ['syncthing', 'twinfold', 'twinfold'],
]

for (const kinds of CHAINS) {
  test(`encrypted: ${kinds[0]} and ${kinds[2]} in sync through an untrusted ${kinds[1]}`, { skip }, async () => {
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const chain = await chainOf(network, kinds)
    const { first, holder, second } = chain
    makeTree(first.root)
    await first.scan()
    await untilAlike(chain)
    assertNothingPlain(holder)
    assertDecrypted(chain, scratch.path)

    writeFileSync(join(second.root, 'secret docs/report.txt'), 'changed in plain text')
    renameSync(join(second.root, 'übung.bin'), join(second.root, 'renamed.bin'))
    rmSync(join(second.root, 'link'))
    rmSync(join(second.root, 'secret docs/inner'), { recursive: true })
    await second.scan()
    await untilAlike(chain)
    assertNothingPlain(holder)
    assert.equal(readFileSync(join(first.root, 'secret docs/report.txt'), 'utf8'), 'changed in plain text')
  })
}

test(
  'encrypted: a holder and a trusted device that are killed in the middle of a transfer continue',
  { skip },
  async () => {
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const chain = await chainOf(network, ['syncthing', 'twinfold', 'twinfold'])
    const { first, holder, second } = chain
    makeTree(first.root)
    for (let i = 0; i < 30; i++) writeFileSync(join(first.root, `large ${i}`), Buffer.alloc(1_000_000 + i, `${i} `))
    await first.scan()
    await eventually('some files at the holder', () => [...itemsOf(holder.root)].length > 10 || undefined)
    await holder.kill()
    await holder.start()
    await eventually('some files at the second', () => readdirSync(second.root).length > 4 || undefined, LIMIT_MS)
    await second.kill()
    await second.start()
    await untilAlike(chain)
    assertNothingPlain(holder)
  },
)

async function errorOf(member: Member): Promise<string> {
  const { connections } = (await member.get('/rest/system/connections')) as { connections: object }
  return JSON.stringify(connections)
}

test('encrypted: with another password nothing is exchanged, and the reason is logged', { skip }, async () => {
  using scratch = scratchDirectory()
  await using network = await Network.open(scratch.path)
  const { first, holder, second } = await chainOf(network, ['twinfold', 'syncthing', 'syncthing'])
  makeTree(second.root)
  await second.scan()
  await eventually('the holder has it', async () => (await holder.status()).globalTotalItems > 3 || undefined)
  await first.request('PATCH', `/rest/config/folders/${FOLDER}`, {
    devices: [{ deviceID: holder.id, encryptionPassword: 'another one' }],
  })
  await eventually('the reason', () => first.output.includes('different encryption passwords used') || undefined)
  assert.deepEqual(
    readdirSync(first.root).filter((name) => name !== '.stfolder'),
    [],
  )
  assert.ok(!first.output.includes(PASSWORD) && !(await errorOf(first)).includes(PASSWORD))
})
