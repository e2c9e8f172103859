import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testProgram } from '../../tools/test-program.ts'
import { eventually } from '../support/scratch.ts'
import { FOLDER, type ProgramKind, type Member, type Network } from '../support/sync-pair.ts'
import { runSyncthing } from '../support/syncthing.ts'
import { describeDifference, differences } from '../support/tree-compare.ts'

export const PASSWORD = 'correct horse battery staple'
const LIMIT_MS = 60_000

/** Both trust the holder only with encrypted data, and are not connected to each other. */
export interface Chain {
  readonly first: Member
  readonly holder: Member
  readonly second: Member
}

export async function chainOf(
  network: Network,
  kinds: readonly [ProgramKind, ProgramKind, ProgramKind],
): Promise<Chain> {
  const [first, holder, second] = await Promise.all([
    network.add(kinds[0], 'first'),
    network.add(kinds[1], 'holder'),
    network.add(kinds[2], 'second'),
  ])
  for (const trusted of [first, second]) {
    await trusted.introduce(holder, { untrusted: true, paused: trusted === second })
    await holder.introduce(trusted)
  }
  const devices = [{ deviceID: holder.id, encryptionPassword: PASSWORD }]
  await first.share([], { devices })
  await untilOffered(holder)
  await holder.share([first, second], { type: 'receiveencrypted' })
  // A Syncthing that shares before the holder has the folder stalls until it connects anew.
  await second.share([], { devices })
  await connectEncrypted(second, holder)
  return { first, holder, second }
}

/**
 * Connects a device after it has the folder with its password. A Syncthing that gets the folder while it is connected
 * may take the encrypted index for a plain one: it creates directories with encrypted names, and announces them.
 */
export async function connectEncrypted(trusted: Member, holder: Member): Promise<void> {
  await trusted.request('PATCH', `/rest/config/devices/${holder.id}`, { paused: false })
}

export async function untilOffered(member: Member): Promise<void> {
  await eventually(
    'the offer',
    async () => FOLDER in ((await member.get('/rest/cluster/pending/folders')) as object) || undefined,
    LIMIT_MS,
  )
}

export async function untilChainInSync({ first, holder, second }: Chain, limitMs = LIMIT_MS): Promise<void> {
  await untilSame([first, second], [first, holder, second], limitMs)
}

/** Until `trusted` have the same files, and all need nothing. */
export async function untilSame(
  trusted: readonly [Member, Member],
  all: readonly Member[],
  limitMs = LIMIT_MS,
): Promise<void> {
  const [first, second] = trusted
  await eventually(
    'both trusted devices have equal trees',
    async () => {
      for (const member of all) {
        const { state, needTotalItems } = await member.status()
        if (state !== 'idle' || needTotalItems !== 0) return undefined
      }
      return differences([first.root, second.root]).length === 0 || undefined
    },
    limitMs,
  ).catch(async (error: unknown) => {
    const facts = await Promise.all(all.map(async (each) => [each.name, await each.status()]))
    const texts = [
      JSON.stringify(facts, undefined, 1),
      differences([first.root, second.root]).map(describeDifference).join('\n'),
    ]
    const logs = all.map((each) => `== ${each.name}\n${withoutItems(each.output).slice(-4_000)}`)
    throw new Error([String(error), ...texts, ...logs].join('\n'), { cause: error })
  })
}

/** Without the lines that a Syncthing logs for each item it could not fetch. */
function withoutItems(log: string): string {
  return log.replaceAll(/^.*Puller \(folder .*\n/gm, '')
}

export function makeTree(root: string): void {
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
export function* itemsOf(root: string): Generator<readonly [name: string, content: Buffer]> {
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (path.startsWith(join(root, '.stfolder'))) continue
    yield [path.slice(root.length + 1), entry.isFile() ? readFileSync(path) : Buffer.alloc(0)]
  }
}

export function assertNothingPlain({ root }: Member): void {
  let files = 0
  for (const [name, content] of itemsOf(root)) {
    if (content.length > 0) files++
    assert.match(name, /^[0-9A-V]\.syncthing-enc(?:\/|$)/)
    for (const word of ['plain', 'report', 'canary', 'secret']) assert.ok(!content.includes(word), `${word} in ${name}`)
  }
  assert.ok(files > 0)
}

/** Both programs restore the files of the holder alone. */
export function assertDecrypted(
  { first, holder }: Pick<Chain, 'first' | 'holder'>,
  scratch: string,
  password = PASSWORD,
): void {
  const files = [...itemsOf(first.root)].filter(([, content]) => content.length > 0)
  for (const kind of ['twinfold', 'syncthing'] as const) {
    const to = join(scratch, `${holder.name} by ${kind}`)
    mkdirSync(to)
    const args = ['decrypt', `--to=${to}`, `--password=${password}`, holder.root]
    const { code, output } = kind === 'syncthing' ? runSyncthing(args) : runTwinfold(args)
    assert.equal(code, 0, output)
    for (const [name, content] of files) assert.ok(readFileSync(join(to, name)).equals(content), `${name} by ${kind}`)
  }
  const wrong = runTwinfold(['decrypt', '--verify-only', '--password=another', holder.root])
  assert.equal(wrong.code, 1)
  assert.match(wrong.output, /another password/)
}

export function runTwinfold(args: readonly string[]): { readonly code: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [testProgram(), ...args], { encoding: 'utf8' })
  return { code: status, output: stdout + stderr }
}
