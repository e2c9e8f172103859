import assert from 'node:assert/strict'
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { casesOf } from '../support/effort.ts'
import { eventually, POLL_MS, scratchDirectory } from '../support/scratch.ts'
import { FOLDER, Network, type Member } from '../support/sync-pair.ts'
import { missingSyncthing, runSyncthing } from '../support/syncthing.ts'
import { temporaries } from '../support/tree-compare.ts'
import {
  assertDecrypted,
  assertNothingPlain,
  connectEncrypted,
  itemsOf,
  makeTree,
  PASSWORD,
  runTwinfold,
  untilOffered,
  untilSame,
} from './encrypted-chain.ts'

const MIB = 1024 * 1024
const HUGE_BYTES = casesOf(32, 300) * MIB
/** More than Syncthing puts into one message of its index. */
const SMALL_FILES = casesOf(1_200, 10_000)
const LIMIT_MS = 400_000
/** For a machine with many times more to do than it has cores. */
const TEST_MS_MAX = 900_000
/** So that a large file is still on its way when its receiver is killed. */
const SLOW = { maxRecvKbps: casesOf(5_000, 20_000) }
const FAST = { maxRecvKbps: 0 }
const HOLDER_FOLDER = { type: 'receiveencrypted', order: 'largestFirst', disableFsync: true }

/** Peers that no registry offers come from a path in the environment. */
const PROGRAMS: readonly (readonly [version: string, program: string | undefined])[] = [
  ['1.29', ''],
  ['2.1', process.env['SYNCTHING2_BIN']],
]
const matrix: string[] = []
after(() => console.log(['', 'untrusted devices of both kinds', ...matrix].join('\n')))

interface LongChain {
  readonly first: Member
  readonly near: Member
  readonly far: Member
  readonly second: Member
}

/** Twinfold, an untrusted Twinfold, an untrusted Syncthing, Syncthing: each connected with the next only. */
async function longChain(network: Network): Promise<LongChain> {
  const [first, near, far, second] = await Promise.all([
    network.add('twinfold', 'first'),
    network.add('twinfold', 'near'),
    network.add('syncthing', 'far'),
    network.add('syncthing', 'second'),
  ])
  await first.introduce(near, { untrusted: true })
  await near.introduce(first, SLOW)
  await near.introduce(far)
  await far.introduce(near, { ...SLOW, numConnections: 1 })
  await far.introduce(second, { numConnections: 1 })
  await second.introduce(far, { untrusted: true, numConnections: 1, paused: true })
  const encryptedFor = ({ id }: Member) => ({ devices: [{ deviceID: id, encryptionPassword: PASSWORD }] })
  await first.share([], { ...encryptedFor(near), disableFsync: true })
  await untilOffered(near)
  await near.share([first, far], HOLDER_FOLDER)
  await untilOffered(far)
  await far.share([near, second], HOLDER_FOLDER)
  await eventually(
    'the token of the far holder',
    () => readdirSync(join(far.root, '.stfolder')).length > 0 || undefined,
  )
  await second.share([], { ...encryptedFor(far), disableFsync: true })
  await connectEncrypted(second, far)
  return { first, near, far, second }
}

function makeHardTree(root: string): void {
  makeTree(root)
  for (let i = 0; i < SMALL_FILES; i++) {
    if (i % 100 === 0) mkdirSync(join(root, `many ${i / 100}`))
    writeFileSync(join(root, `many ${Math.floor(i / 100)}`, `small ${i}`), `plain canary ${i}`)
  }
  const file = openSync(join(root, 'huge'), 'w')
  ftruncateSync(file, HUGE_BYTES)
  writeSync(file, 'plain canary at the end', HUGE_BYTES - 100)
  closeSync(file)
}

/** Kills a holder while the huge file is on its way to it, and lets it continue at full speed. */
async function interrupt(holder: Member, source: Member): Promise<void> {
  const size = () => Math.max(0, ...temporaries(holder.root).map((path) => statSync(join(holder.root, path)).size))
  await eventually('a part of the huge file', () => size() > MIB || undefined, LIMIT_MS, POLL_MS)
  await holder.kill()
  assert.ok(size() > MIB, 'the file was unfinished')
  await holder.start()
  await holder.request('PATCH', `/rest/config/devices/${source.id}`, FAST)
}

for (const [version, program] of PROGRAMS) {
  test(
    `encrypted: two devices through untrusted ones of both kinds, Syncthing ${version}`,
    { timeout: TEST_MS_MAX },
    async (t) => {
      if (program === undefined) {
        matrix.push(`${version}  not run: SYNCTHING2_BIN names no program`)
        return t.skip('SYNCTHING2_BIN names no program')
      }
      process.env['TWINFOLD_SYNCTHING'] = program
      const missing = missingSyncthing()
      if (missing !== undefined) return t.skip(missing)
      using scratch = scratchDirectory()
      await using network = await Network.open(scratch.path)
      const { first, near, far, second } = await longChain(network)
      const all = [first, near, far, second]
      makeHardTree(first.root)
      await first.scan()
      await interrupt(near, first)
      await interrupt(far, near)
      const hasSome = () => readdirSync(second.root).length > 10 || undefined
      await eventually('some files at the second', hasSome, LIMIT_MS, POLL_MS)
      await second.kill()
      await second.start()
      await untilSame([first, second], all, LIMIT_MS)
      for (const holder of [near, far]) {
        assertNothingPlain(holder)
        const args = ['decrypt', '--verify-only', `--password=${PASSWORD}`, holder.root]
        for (const { code, output } of [runTwinfold(args), runSyncthing(args)])
          assert.equal(code, 0, output.slice(-2_000))
      }

      for (let i = 0; i < SMALL_FILES / 100; i += 2) rmSync(join(second.root, `many ${i}`), { recursive: true })
      rmSync(join(second.root, 'huge'))
      await second.scan()
      await untilSame([first, second], all, LIMIT_MS)
      const left = (root: string) => [...itemsOf(root)].length
      assert.ok(left(near.root) < 3 * left(first.root) && left(near.root) > left(first.root), 'deleted there as well')
      matrix.push(`${version}  ${SMALL_FILES} files, ${HUGE_BYTES} bytes in one, three kills: in sync, nothing plain`)
    },
  )
}

const skip = missingSyncthing() ?? false
const OTHER = 'another password, much longer'

/** The holder and the device that trusts it with encrypted data only. */
async function pairOf(network: Network, kind: 'twinfold' | 'syncthing'): Promise<readonly [Member, Member]> {
  const [trusted, holder] = await Promise.all([
    network.add(kind === 'twinfold' ? 'syncthing' : 'twinfold', `trusted of ${kind}`),
    network.add(kind, `holder ${kind}`),
  ])
  await trusted.introduce(holder, { untrusted: true })
  await holder.introduce(trusted)
  makeTree(trusted.root)
  await trusted.share([], { devices: [{ deviceID: holder.id, encryptionPassword: PASSWORD }] })
  await accept(holder, trusted)
  return [trusted, holder]
}

async function accept(holder: Member, trusted: Member): Promise<void> {
  await untilOffered(holder)
  await holder.share([trusted], { type: 'receiveencrypted' })
  await trusted.scan()
  await eventually(
    'everything at the holder',
    async () => {
      const { globalTotalItems, needTotalItems, state } = await holder.status()
      const wanted = (await trusted.status()).localTotalItems
      return (state === 'idle' && needTotalItems === 0 && globalTotalItems >= wanted) || undefined
    },
    LIMIT_MS,
  )
}

for (const kind of ['syncthing', 'twinfold'] as const) {
  test(`encrypted: a changed password is refused by an untrusted ${kind}, until it starts anew`, { skip }, async () => {
    process.env['TWINFOLD_SYNCTHING'] = ''
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const [trusted, holder] = await pairOf(network, kind)
    await trusted.request('PATCH', `/rest/config/folders/${FOLDER}`, {
      devices: [{ deviceID: holder.id, encryptionPassword: OTHER }],
    })
    const [own, peer] = kind === 'twinfold' ? [holder, trusted] : [trusted, holder]
    const [found] = (await eventually('the reason', async () => {
      const list = (await own.get('/rest/twinfold/disagreements')) as unknown[]
      return list.length > 0 ? list : undefined
    })) as readonly { readonly deviceID: string; readonly folder: string; readonly code: string }[]
    assert.deepEqual([found?.deviceID, found?.folder, found?.code], [peer.id, FOLDER, 'other-password'])

    await holder.request('DELETE', `/rest/config/folders/${FOLDER}`)
    for (const name of readdirSync(holder.root)) rmSync(join(holder.root, name), { recursive: true })
    await accept(holder, trusted)
    assertNothingPlain(holder)
    assertDecrypted({ first: trusted, holder }, scratch.path, OTHER)
    assert.deepEqual(await own.get('/rest/twinfold/disagreements'), [])
    for (const { output } of [trusted, holder]) assert.ok(!output.includes(PASSWORD) && !output.includes(OTHER))
  })
}
