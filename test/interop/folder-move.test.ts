/** A folder is moved to another disk and back while a Syncthing is connected, which sees only a pause. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { FOLDER, link, Network, type Member } from '../support/sync-pair.ts'
import { untilInSync } from '../support/until-in-sync.ts'
import { missingSyncthing } from '../support/syncthing.ts'
import { assertNothingPlain, chainOf, makeTree, untilChainInSync } from './encrypted-chain.ts'

const MEMORY = '/dev/shm'
const FILES = 40
const skip = missingSyncthing() ?? false

interface FileRecord {
  readonly name: string
  readonly sequence: number
  readonly version: readonly string[]
  readonly deleted: boolean
  readonly modified: string
}

/** What the Syncthing has of the device: its records, with their sequences, and all changes it was told of. */
async function view(syncthing: Member, names: readonly string[]): Promise<unknown> {
  const status = (await syncthing.request('GET', `/rest/db/status?folder=${FOLDER}`)) as {
    readonly sequence: number
    readonly remoteSequence?: Readonly<Record<string, number>>
    readonly globalFiles: number
    readonly globalDeleted: number
  }
  const files: unknown[] = []
  for (const name of names) {
    const path = `/rest/db/file?folder=${FOLDER}&file=${encodeURIComponent(name)}`
    const { global } = (await syncthing.request('GET', path)) as { readonly global: FileRecord }
    files.push([global.name, global.sequence, global.version, global.deleted, global.modified])
  }
  const { sequence, remoteSequence, globalFiles, globalDeleted } = status
  return { sequence, remoteSequence, globalFiles, globalDeleted, files }
}

async function move(twinfold: Member, to: string): Promise<void> {
  const query = new URLSearchParams({ folder: FOLDER, path: to })
  await twinfold.request('POST', `/rest/twinfold/move?${query}`)
  await eventually('the end of the move', async () => {
    const reply = (await twinfold.request('GET', `/rest/twinfold/move?folder=${FOLDER}`)) as {
      readonly move: { readonly state: string; readonly error: string; readonly leftCount: number }
    }
    if (!['done', 'failed', 'cancelled'].includes(reply.move.state)) return undefined
    assert.deepEqual([reply.move.state, reply.move.error, reply.move.leftCount], ['done', '', 0])
    return true
  })
}

/** Each has the whole index of the other and needs nothing. */
async function isQuiet(one: Member, other: Member): Promise<true | undefined> {
  for (const [member, peer] of [
    [one, other],
    [other, one],
  ] as const) {
    const { state, needTotalItems } = await member.status()
    if (state !== 'idle' || needTotalItems > 0 || !(await member.hasReceivedAll([peer]))) return undefined
  }
  return true
}

function otherDisk(scratch: string): Disposable & { readonly path: string } {
  const hasOtherDisk = existsSync(MEMORY) && statSync(MEMORY).dev !== statSync(scratch).dev
  const path = mkdtempSync(join(hasOtherDisk ? MEMORY : scratch, 'twinfold-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

test('a Syncthing sees no deletion and no other record while a folder is moved', { skip }, async () => {
  using scratch = scratchDirectory()
  using other = otherDisk(scratch.path)
  await using network = await Network.open(scratch.path)
  const [twinfold, syncthing] = await Promise.all([
    network.add('twinfold', 'twinfold'),
    network.add('syncthing', 'syncthing'),
  ])
  const names = Array.from({ length: FILES }, (_, number) => `${number % 2 ? 'd/' : ''}f${number}`)
  mkdirSync(join(twinfold.root, 'd'))
  for (const [number, name] of names.entries())
    writeFileSync(join(twinfold.root, name), `content ${number} `.repeat(number * 500))
  await link([[twinfold, syncthing]])
  await untilInSync([twinfold, syncthing])
  const before = await view(syncthing, names)
  const there = join(other.path, 'moved')

  await move(twinfold, there)
  await twinfold.scan()
  assert.ok(!existsSync(twinfold.root))
  assert.deepEqual(await view(syncthing, names), before)
  // It is the same folder for both still.
  writeFileSync(join(syncthing.root, 'f0'), 'edited there')
  await syncthing.scan()
  await eventually('the edit', () => readFileSync(join(there, 'f0'), 'utf8') === 'edited there' || undefined)
  writeFileSync(join(there, 'f2'), 'edited here')
  await twinfold.scan()
  await eventually('the edit', () => readFileSync(join(syncthing.root, 'f2'), 'utf8') === 'edited here' || undefined)

  await eventually('both know of both edits', async () => await isQuiet(twinfold, syncthing))
  const edited = await view(syncthing, names)
  await move(twinfold, twinfold.root)
  await twinfold.scan()
  assert.deepEqual(await view(syncthing, names), edited)
  await untilInSync([twinfold, syncthing])
})

test('an untrusted device moves its encrypted copy, and still passes on what others change', { skip }, async () => {
  using scratch = scratchDirectory()
  using other = otherDisk(scratch.path)
  await using network = await Network.open(scratch.path)
  const chain = await chainOf(network, ['syncthing', 'twinfold', 'twinfold'])
  const { first, holder, second } = chain
  makeTree(first.root)
  await first.scan()
  await untilChainInSync(chain)
  const sequence = (await holder.status()).sequence
  const there = join(other.path, 'encrypted')

  await move(holder, there)
  await holder.scan()
  assert.ok(!existsSync(holder.root))
  assert.equal((await holder.status()).sequence, sequence)
  writeFileSync(join(first.root, 'after.txt'), 'written after the move')
  await first.scan()
  const arrived = join(second.root, 'after.txt')
  await eventually('the new file', () => readFileSync(arrived, 'utf8') === 'written after the move' || undefined)

  await move(holder, holder.root)
  await untilChainInSync(chain)
  assertNothingPlain(holder)
})
