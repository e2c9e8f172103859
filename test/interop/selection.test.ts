import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { FOLDER, Network, type Member } from '../support/sync-pair.ts'
import { missingSyncthing } from '../support/syncthing.ts'

const skip = missingSyncthing() ?? false

/** Names with every character that patterns give a meaning to. */
const FILES = [
  'photos/2023/old.jpg',
  'photos/2024/beach.jpg',
  'photos/2024/raw/beach.raw',
  'photos/2024/raw/best.raw',
  'photos/20?4/other.jpg',
  'a[b]/{x,y}*',
  'a[b]/kept',
  'ab/not a class',
  'back\\slash/!#.txt',
  'ends in a blank /one',
  'notes.txt',
  'notes.txt.old',
]

function filesOf({ root }: Member): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.stfolder') && entry.name !== '.stignore')
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort()
}

function put({ root }: Member, name: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  writeFileSync(join(root, name), `the content of ${name}`)
}

async function untilFiles(member: Member, expected: readonly string[]): Promise<void> {
  const wanted = expected.toSorted()
  const isSettled = async () => {
    const { needTotalItems, state } = await member.status()
    return needTotalItems === 0 && state === 'idle' && JSON.stringify(filesOf(member)) === JSON.stringify(wanted)
  }
  await eventually(`${member.name} has what it should`, async () => (await isSettled()) || undefined, 60_000).catch(
    async (error: unknown) => {
      const need = await member.get(`/rest/db/need?folder=${FOLDER}`)
      const facts = { has: filesOf(member), wanted, need, status: await member.status() }
      throw new Error(`${String(error)}: ${JSON.stringify(facts, undefined, 1)}`, { cause: error })
    },
  )
}

const select = (member: Member, body: object) =>
  member.request('POST', `/rest/twinfold/selection?folder=${FOLDER}`, body)

for (const [version, program] of [
  ['1.29', ''],
  ['2.1', process.env['SYNCTHING2_BIN']],
] as const) {
  test(`a Syncthing ${version} honours what is kept and dropped, and notices nothing of it`, { skip }, async (t) => {
    if (program === undefined) return t.skip('SYNCTHING2_BIN names no program')
    process.env['TWINFOLD_SYNCTHING'] = program
    try {
      await keepsAndDrops()
    } finally {
      process.env['TWINFOLD_SYNCTHING'] = ''
    }
  })
}

async function keepsAndDrops(): Promise<void> {
  using scratch = scratchDirectory()
  await using network = await Network.open(scratch.path)
  const [source, twinfold, other] = await Promise.all([
    network.add('syncthing', 'source'),
    network.add('twinfold', 'twinfold'),
    network.add('syncthing', 'other'),
  ])
  for (const name of FILES) put(source, name)
  for (const peer of [twinfold, other]) {
    await source.introduce(peer)
    await peer.introduce(source)
  }
  await source.share([twinfold, other])
  await source.scan()
  // Accepted with nothing yet: the folder knows all names, and has no file.
  await twinfold.share([source], { paused: true })
  await select(twinfold, { drop: [''] })
  await twinfold.request('PATCH', `/rest/config/folders/${FOLDER}`, { paused: false })
  await eventually('all names are known', async () => {
    return (await twinfold.status()).globalFiles === FILES.length || undefined
  })
  await untilFiles(twinfold, [])

  const preview = (await select(twinfold, { keep: ['photos'], preview: true })) as {
    readonly fetched: { readonly files: number }
    readonly holders: Readonly<Record<string, { readonly files: number }>>
  }
  assert.deepEqual([preview.fetched.files, preview.holders[source.id]?.files], [5, 5])
  await select(twinfold, { keep: ['.'] })
  await untilFiles(twinfold, FILES)

  await select(twinfold, { drop: ['photos', 'a[b]', 'back\\slash', 'ends in a blank ', 'notes.txt'] })
  await select(twinfold, { keep: ['photos/2024', 'a[b]/kept'] })
  await select(twinfold, { drop: ['photos/2024/raw'] })
  await select(twinfold, { keep: ['photos/2024/raw/best.raw'] })
  const kept = ['photos/2024/beach.jpg', 'photos/2024/raw/best.raw', 'a[b]/kept', 'ab/not a class', 'notes.txt.old']
  await untilFiles(twinfold, kept)

  // The same file decides the same in a real Syncthing.
  copyFileSync(join(twinfold.root, '.stignore'), join(other.root, '.stignore'))
  await other.share([source])
  await untilFiles(other, kept)
  const lines = readFileSync(join(other.root, '.stignore'), 'utf8').split('\n').slice(0, -1)
  const ignores = (await other.get(`/rest/db/ignores?folder=${FOLDER}`)) as {
    readonly ignore: readonly string[]
    readonly error?: string | null
  }
  assert.deepEqual([ignores.ignore, ignores.error ?? null], [lines, null])

  // Nothing was deleted elsewhere, and the others count as complete.
  assert.deepEqual(filesOf(source), FILES.toSorted())
  await untilFiles(source, FILES)
  assert.equal((await source.status()).globalFiles, FILES.length)
  await eventually('the source counts it as complete', async () => {
    const about = await source.get(`/rest/db/completion?folder=${FOLDER}&device=${twinfold.id}`)
    return (about as { readonly completion: number }).completion === 100 || undefined
  })

  // A rename there is followed here; a new name here arrives there.
  renameSync(join(source.root, 'photos/2024/raw/best.raw'), join(source.root, 'photos/2024/raw/winner.raw'))
  await source.scan()
  put(twinfold, 'photos/2023/mine.jpg')
  await twinfold.scan()
  await untilFiles(twinfold, [
    ...kept.filter((name) => !name.endsWith('best.raw')),
    'photos/2024/raw/winner.raw',
    'photos/2023/mine.jpg',
  ])
  await eventually('what was made here is on the source', () => {
    return existsSync(join(source.root, 'photos/2023/mine.jpg')) || undefined
  })
  assert.ok(!existsSync(join(source.root, 'photos/2024/raw/best.raw')))
  assert.ok(existsSync(join(source.root, 'photos/2024/raw/beach.raw')))
}
