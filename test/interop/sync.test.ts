import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { reportRow } from '../support/effort.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { link, Network, scanAll, type Member } from '../support/sync-pair.ts'
import { untilInSync } from '../support/until-in-sync.ts'
import { missingSyncthing } from '../support/syncthing.ts'
import { conflictCopies, temporaries, treeItems } from '../support/tree-compare.ts'
import { buildHardTree } from './hard-tree.ts'

const skip = missingSyncthing() ?? false
const MIB = 1024 * 1024

const scratch = scratchDirectory()
let network: Network
let twinfold: Member
let syncthing: Member

before(async () => {
  if (skip !== false) return
  network = await Network.open(scratch.path)
  ;[twinfold, syncthing] = await Promise.all([
    network.add('twinfold', 'twinfold'),
    network.add('syncthing', 'syncthing'),
  ])
})

after(async () => {
  await network?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

/**
 * Each side has a hard tree of its own below a name of its own; temporary files in it are part of the test data.
 */
function plant({ root, name }: Member): void {
  const top = join(root, `from-${name}`)
  mkdirSync(top)
  buildHardTree(top)
  for (const leftover of temporaries(root)) rmSync(join(root, leftover), { recursive: true })
  // one of each kind is enough
  rmSync(join(top, 'sizes', name === 'twinfold' ? 'sparse-262143999' : 'sparse-262144000'))
  writeFileSync(join(top, 'random'), randomBytes(40 * MIB))
  for (const ending of ['log', 'bak']) writeFileSync(join(top, `some.${ending}`), `${ending} of ${name}`)
}

/**
 * Twinfold ignores logs and Syncthing ignores backups: each keeps its own, takes none of the other's, and is asked for
 * none.
 */
function isIgnored(path: string): boolean {
  return /\.(log|bak)(\/|$)/.test(path)
}

/** Only a failure takes so long: 600 MB are exchanged, on a machine that runs other tests at the same time. */
const LIMIT_MS = 280_000

test('a hard tree on each side ends up on both', { skip }, async () => {
  for (const member of [twinfold, syncthing]) plant(member)
  writeFileSync(join(twinfold.root, '.stignore'), '*.log\n')
  writeFileSync(join(syncthing.root, '.stignore'), '*.bak\n')
  const startedMs = performance.now()
  await link([[twinfold, syncthing]])
  await untilInSync([twinfold, syncthing], { limitMs: LIMIT_MS, except: isIgnored })
  const trees = [twinfold, syncthing].map(({ root }) => treeItems(root))
  const foreign = (member: number, ending: string, owner: string) =>
    [...trees[member]!.keys()].filter((path) => path.startsWith(`from-${owner}/`) && path.endsWith(`.${ending}`))
  assert.deepEqual(foreign(0, 'log', 'syncthing'), [])
  assert.deepEqual(foreign(1, 'bak', 'twinfold'), [])
  assert.ok(foreign(0, 'bak', 'syncthing').length === 0, 'what Syncthing ignores it does not send')
  assert.ok(foreign(1, 'log', 'twinfold').length === 0, 'what Twinfold ignores it does not send')
  const planted = ['from-twinfold', 'from-syncthing'].map((top) => `${top}/x.sync-conflict-20210304-050607-ABCDEFG.txt`)
  for (const { root } of [twinfold, syncthing]) {
    assert.deepEqual(temporaries(root), [])
    assert.deepEqual(new Set(conflictCopies(root)), new Set(planted))
  }
  const secs = Math.round((performance.now() - startedMs) / 100) / 10
  reportRow({ id: 'sync-initial', tried: trees[0]!.size, secs })
})

test('a whole scan afterwards finds nothing new', { skip }, async () => {
  const sequences = async () =>
    Promise.all([twinfold, syncthing].map(async (member) => (await member.status()).sequence))
  const earlier = await sequences()
  await scanAll([twinfold, syncthing])
  assert.deepEqual(await sequences(), earlier)
})
