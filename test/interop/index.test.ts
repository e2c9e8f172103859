import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { scratchDirectory } from '../support/scratch.ts'
import { missingSyncthing } from '../support/syncthing.ts'
import { describeDisk, hardTreeTwice, namesOnDisk } from './hard-tree.ts'
import { STEPS } from './hard-tree-steps.ts'
import { addFolder, field, must, Pair, type Side } from './pair.ts'

const skip = missingSyncthing() ?? false

/** What both must report about a file. Versions and sequences are each device's own. */
const COMPARED = [
  'name',
  'type',
  'size',
  'deleted',
  'invalid',
  'ignored',
  'mustRescan',
  'noPermissions',
  'permissions',
  'localFlags',
  'numBlocks',
]

const STARTED_S = Math.floor(Date.now() / 1000)
const scratch = scratchDirectory()
let pair: Pair
let roots: readonly [string, string]
/** Every name that ever was: a deleted one must stay known as deleted. */
const names = new Set<string>()
/** The disk at the last comparisons, the latest first. */
const disks: Readonly<Record<string, string>>[] = []

before(async () => {
  if (skip !== false) return
  roots = hardTreeTwice(scratch.path)
  pair = await Pair.start(scratch.path)
})

after(async () => {
  await pair?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

test('a hard tree is indexed as Syncthing indexes it', { skip }, async () => {
  await Promise.all([addFolder(pair.twinfold, roots[0]), addFolder(pair.syncthing, roots[1])])
  const compared = await compare(names)
  console.log(JSON.stringify({ interop: 'index', step: 'hard tree', ...compared }))
  assert.ok(compared.indexed > 100, 'the comparison compares something')
  assert.ok(compared.unknown > 20, 'ignored and internal names are asked for too')
})

for (const step of STEPS) {
  test(`the index stays equal: ${step.title}`, { skip }, async () => {
    for (const root of roots) step.change(root)
    const subs = (step.subs ?? []).map((sub) => `&sub=${encodeURIComponent(sub)}`).join('')
    await Promise.all(pair.both.map((side) => must(side, 'POST', `/rest/db/scan?folder=share${subs}`)))
    await compareStep()
  })
}

test('after a restart nothing has to be announced again', { skip }, async () => {
  const sequence = async () => field(await must(pair.twinfold, 'GET', '/rest/db/status?folder=share'), 'sequence')
  const before = await sequence()
  await must(pair.twinfold, 'PATCH', '/rest/config/folders/share', { paused: true })
  await must(pair.twinfold, 'PATCH', '/rest/config/folders/share', { paused: false })
  await must(pair.twinfold, 'POST', '/rest/db/scan?folder=share')
  assert.equal(await sequence(), before)
  await compare(names)
})

/** Of the names that the step may have changed; of all with other ignore patterns, which change the records of any. */
async function compareStep(): Promise<void> {
  const now = describeDisk(roots[0])
  const isChanged = (name: string) => disks.some((disk) => disk[name] !== now[name])
  const changed = new Set([...names, ...Object.keys(now)].filter(isChanged))
  await compare(changed.has('.stignore') ? names : changed)
}

async function compare(asked: ReadonlySet<string>): Promise<{ indexed: number; unknown: number }> {
  for (const root of roots) for (const name of namesOnDisk(root)) names.add(name)
  const disk = describeDisk(roots[0])
  assert.deepEqual(disk, describeDisk(roots[1]), 'both left the same on disk')
  disks.splice(0, disks.length, disk, ...disks.slice(0, 1)) // at most 2: a scan of a part leaves changes to the next
  const [ours, theirs] = await Promise.all(pair.both.map((side) => describeIndex(side, asked)))
  assert.deepEqual(differences(ours?.files ?? {}, theirs?.files ?? {}), [], 'db/file')
  assert.deepEqual(ours?.tree, theirs?.tree, 'db/browse')
  assert.deepEqual(ours?.counts, theirs?.counts, 'db/status')
  const indexed = Object.values(ours?.files ?? {}).filter((file) => typeof file === 'object').length
  return { indexed, unknown: asked.size - indexed }
}

/** One line per name and key, so that a failure can be read. */
function differences(ours: Record<string, unknown>, theirs: Record<string, unknown>): string[] {
  return Object.keys(theirs).flatMap((name) => {
    const [mine, other] = [ours[name], theirs[name]]
    if (typeof mine !== 'object' || typeof other !== 'object')
      return mine === other ? [] : [`${name}: ${show(mine)} instead of ${show(other)}`]
    const keys = Object.keys(Object(other)).filter((key) => field(mine, key) !== field(other, key))
    return keys.map((key) => `${name}: ${key} is ${show(field(mine, key))} instead of ${show(field(other, key))}`)
  })
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing'
}

/** Debian's Syncthing does not show the hash over all block hashes, so ours is held against the disk itself. */
function checkHash(name: string, local: unknown): void {
  const isLive =
    field(local, 'type') === 'FILE_INFO_TYPE_FILE' &&
    field(local, 'deleted') === false &&
    field(local, 'invalid') === false
  if (isLive) assert.equal(field(local, 'blocksHash'), blocksHash(readFileSync(join(roots[0], name))), name)
}

function blocksHash(content: Buffer): string {
  let blockBytes = 128 * 1024
  while (content.length >= 2000 * blockBytes) blockBytes *= 2
  const all = createHash('sha256')
  for (let at = 0; at === 0 || at < content.length; at += blockBytes)
    all.update(
      createHash('sha256')
        .update(content.subarray(at, at + blockBytes))
        .digest(),
    )
  return all.digest('base64')
}

async function describeIndex(side: Side, asked: ReadonlySet<string>) {
  const files: Record<string, unknown> = {}
  for (const name of [...asked].sort()) files[name] = await describeFile(side, name)
  const tree = normaliseTree(await must(side, 'GET', '/rest/db/browse?folder=share'))
  const status = await must(side, 'GET', '/rest/db/status?folder=share')
  const counts: Record<string, unknown> = {}
  for (const scope of ['local', 'global', 'need']) {
    for (const kind of [
      'Files',
      'Directories',
      'Symlinks',
      'Bytes',
      scope === 'need' ? 'Deletes' : 'Deleted',
      'TotalItems',
    ]) {
      counts[`${scope}${kind}`] = field(status, `${scope}${kind}`)
    }
  }
  for (const scope of ['local', 'global', 'need']) {
    const items = Number(counts[`${scope}Directories`]) + Number(counts[`${scope}Symlinks`])
    counts[`${scope}Bytes`] = Number(counts[`${scope}Bytes`]) - itemBytes(side) * items
  }
  for (const name of ['inSyncFiles', 'ignorePatterns', 'state']) counts[name] = field(status, name)
  return { files, tree, counts }
}

/** Syncthing 1.x counts 128 bytes for every directory and symlink, 2.x and we count none. */
function itemBytes(side: Side): number {
  return side === pair.syncthing ? 128 : 0
}

async function describeFile(side: Side, name: string): Promise<unknown> {
  const reply = await side.request('GET', `/rest/db/file?folder=share&file=${encodeURIComponent(name)}`)
  if (reply.status !== 200) return `${reply.status} ${reply.text.trim()}`
  const local = field(JSON.parse(reply.text), 'local')
  if (side === pair.twinfold) checkHash(name, local)
  const described: Record<string, unknown> = {}
  for (const key of COMPARED) described[key] = field(local, key)
  if (isEmptyItem(local)) described['size'] = 0
  const modified = instant(String(field(local, 'modified')))
  described['modified'] = field(local, 'deleted') === true ? whenDeleted(modified) : modified
  described['versionLength'] = Array.isArray(field(local, 'version'))
    ? Reflect.get(Object(field(local, 'version')), 'length')
    : -1
  return described
}

function isEmptyItem(item: unknown): boolean {
  return field(item, 'type') !== 'FILE_INFO_TYPE_FILE'
}

/** A deletion carries the moment of the scan that noticed it, in whole seconds, and two scans may see two seconds. */
function whenDeleted(modified: string): string {
  const isNow =
    modified.endsWith('.000000000') && Number(modified) >= STARTED_S && Number(modified) <= Date.now() / 1000
  return isNow ? 'when noticed' : modified
}

/** Seconds and nine digits of a second: exact, and the same in every time zone. */
function instant(text: string): string {
  const [, whole = '', fraction = '', zone = ''] = /^([^.]+?)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/.exec(text) ?? []
  return `${Date.parse(whole + zone) / 1000}.${fraction.padEnd(9, '0')}`
}

function normaliseTree(value: unknown): unknown {
  assert.ok(Array.isArray(value), 'db/browse answers a list')
  return value.map((entry: unknown) => ({
    name: field(entry, 'name'),
    type: field(entry, 'type'),
    size: isEmptyItem(entry) ? 0 : field(entry, 'size'),
    modified: instant(String(field(entry, 'modTime'))),
    ...(field(entry, 'children') !== undefined && { children: normaliseTree(field(entry, 'children')) }),
  }))
}
