import assert from 'node:assert/strict'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { FOLDER, Network, type ProgramKind, type Member } from '../support/sync-pair.ts'
import { untilInSync } from '../support/until-in-sync.ts'
import { missingSyncthing } from '../support/syncthing.ts'

const skip = missingSyncthing() ?? false
const NOT_VERSIONS = (path: string): boolean => path === '.stversions' || path.startsWith('.stversions/')

/** What a program of one's own does in this test: moves the file into a directory beside the folder. */
const MOVER = 'mkdir -p "$3/$(dirname "$2")"\nmv "$1/$2" "$3/$2"\n'

function put({ root }: Member, name: string, content: string): void {
  mkdirSync(join(root, name, '..'), { recursive: true })
  writeFileSync(join(root, name), content)
}

/** Every file below, with its content; times in names are left out. */
function filesOf(directory: string, below = ''): readonly string[] {
  if (!existsSync(directory)) return []
  return readdirSync(join(directory, below))
    .sort()
    .flatMap((name) => {
      const path = below === '' ? name : `${below}/${name}`
      const stat = lstatSync(join(directory, path))
      if (stat.isDirectory()) return filesOf(directory, path)
      return [
        `${path.replace(/~\d{8}-\d{6}/, '~TIME')}=` +
          `${stat.isFile() ? readFileSync(join(directory, path), 'utf8') : 'no file'}`,
      ]
    })
}

interface Run {
  readonly kept: readonly string[]
  readonly listed: readonly string[] | string
  /** Undefined where Syncthing itself fails: its trash can of 1.x restores nothing. */
  readonly restored: readonly string[] | undefined
}

/** The same history of the same files, with the versions kept by a device of one kind. */
async function live(
  keeperKind: ProgramKind,
  versioning: Readonly<Record<string, unknown>>,
  scratch: string,
): Promise<Run> {
  await using network = await Network.open(scratch)
  const [keeper, source] = await Promise.all([
    network.add(keeperKind, 'keeper'),
    network.add(keeperKind === 'twinfold' ? 'syncthing' : 'twinfold', 'source'),
  ])
  await keeper.introduce(source)
  await source.introduce(keeper)
  await keeper.share([source], { versioning })
  await source.share([keeper])
  await makeHistory(keeper, source)
  const kept = filesOf(versioning['type'] === 'external' ? join(scratch, 'vault') : join(keeper.root, '.stversions'))

  if (versioning['type'] === 'external') {
    const refusal = await keeper.get(`/rest/folder/versions?folder=${FOLDER}`).then(
      () => 'none',
      (error: unknown) => String(error),
    )
    return { kept, listed: refusal.replace(/^.*?: 500 /, '').trim(), restored: [] }
  }
  const versions = (await keeper.get(`/rest/folder/versions?folder=${FOLDER}`)) as Versions
  const listed = Object.entries(versions)
    .map(([path, list]) => `${path} ${list.map(({ size }) => size).join()}`)
    .sort()
  if (keeperKind === 'syncthing' && versioning['type'] === 'trashcan') return { kept, listed, restored: undefined }
  return { kept, listed, restored: await restoreSome(keeper, source, versions) }
}

type Versions = Record<string, readonly { versionTime: string; size: number }[]>

/** Files are replaced and deleted, and change their kind. */
async function makeHistory(keeper: Member, source: Member): Promise<void> {
  const pair = [keeper, source] as const
  for (const name of [
    'd/f.txt',
    'became a directory',
    'gone',
    'gone too.tar.gz',
    'became a symlink',
    'd/e/deep',
    'stays',
  ])
    put(source, name, `${name}, first`)
  symlinkSync('stays', join(source.root, 'link'))
  await source.scan()
  await untilInSync(pair, { except: NOT_VERSIONS })

  put(source, 'd/f.txt', 'd/f.txt, second')
  for (const name of ['gone', 'gone too.tar.gz', 'became a symlink', 'became a directory', 'd/e', 'link'])
    rmSync(join(source.root, name), { recursive: true })
  await source.scan()
  await untilInSync(pair, { except: NOT_VERSIONS })
  symlinkSync('elsewhere', join(source.root, 'became a symlink'))
  put(source, 'became a directory/below', 'below, first')
  put(source, 'link', 'a file now')
  await source.scan()
  await untilInSync(pair, { except: NOT_VERSIONS })
}

/** One version by itself, two at once, and two that are refused; the restored content and the names of the refused. */
async function restoreSome(keeper: Member, source: Member, versions: Versions): Promise<readonly string[]> {
  const wanted = ['gone', 'gone too.tar.gz', 'd/e/deep'].map(
    (path) => [path, versions[path]?.[0]?.versionTime ?? ''] as const,
  )
  const [one, ...many] = wanted
  for (const body of [Object.fromEntries([one!]), Object.fromEntries(many)]) {
    assert.deepEqual(
      await keeper.request('POST', `/rest/folder/versions?folder=${FOLDER}`, body),
      {},
      'restored without an error',
    )
  }
  await keeper.scan()
  // Two devices are also in sync before either knows of the other's change.
  await eventually(
    'the restored files',
    () => wanted.every(([path]) => existsSync(join(source.root, path))) || undefined,
  )
  await untilInSync([keeper, source], { except: NOT_VERSIONS })
  const contents = wanted.map(([path]) => readFileSync(join(source.root, path), 'utf8'))
  // Syncthing moves what is there to the versions before it refuses, so the file may be deleted everywhere afterwards.
  // Within the same second Syncthing keeps what is there under the very name of the version asked for, and finds that.
  await eventually('the next second', () => Date.now() >= Date.parse(one?.[1] ?? '') + 1_000 || undefined)
  const refused = (await keeper.request('POST', `/rest/folder/versions?folder=${FOLDER}`, {
    gone: one?.[1] ?? '',
    'became a directory': versions['became a directory']?.[0]?.versionTime ?? '',
  })) as Record<string, string>
  return [...contents, ...Object.keys(refused).sort()]
}

for (const [type, params] of [
  ['trashcan', {}],
  ['simple', { keep: '5' }],
  ['staggered', { maxAge: '31536000' }],
  ['external', undefined],
] as const) {
  test(`${type}: Twinfold keeps, lists and restores what Syncthing does`, { skip }, async () => {
    using scratch = scratchDirectory()
    const runs: Run[] = []
    for (const kind of ['twinfold', 'syncthing'] as const) {
      const directory = join(scratch.path, kind)
      mkdirSync(directory)
      writeFileSync(join(directory, 'mover.sh'), MOVER)
      const command = `/bin/sh ${join(directory, 'mover.sh')} %FOLDER_PATH% %FILE_PATH% ${join(directory, 'vault')}`
      runs.push(await live(kind, { type, params: params ?? { command } }, directory))
    }
    const [ours, theirs] = runs
    assert.ok(ours !== undefined && theirs !== undefined)
    assert.ok(ours.kept.length === 6, ours.kept.join('\n'))
    assert.deepEqual(ours.kept, theirs.kept)
    assert.deepEqual(ours.listed, theirs.listed)
    const restored =
      type === 'external'
        ? []
        : ['gone, first', 'gone too.tar.gz, first', 'd/e/deep, first', 'became a directory', 'gone']
    assert.deepEqual(ours.restored, restored)
    if (theirs.restored !== undefined) assert.deepEqual(theirs.restored, restored)
    reportRow({ id: 'versions', tried: ours.kept.length, type, restored: restored.length })
  })
}

test(
  'a directory that is swapped for a symlink while its old files are archived is not followed',
  { skip },
  async () => {
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    const [keeper, source] = await Promise.all([network.add('twinfold', 'keeper'), network.add('syncthing', 'source')])
    await keeper.introduce(source)
    await source.introduce(keeper)
    await keeper.share([source], { versioning: { type: 'simple', params: {} } })
    await source.share([keeper])
    const outside = join(scratch.path, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'f'), 'untouched')
    put(source, 'd/f', 'first')
    await source.scan()
    await untilInSync([keeper, source], { except: NOT_VERSIONS })
    mkdirSync(join(keeper.root, '.stversions'))
    symlinkSync(outside, join(keeper.root, '.stversions', 'd'))
    put(source, 'd/f', 'second')
    await source.scan()
    await eventually('the file is refused', async () => {
      const { errors } = (await keeper.get(`/rest/folder/errors?folder=${FOLDER}`)) as {
        errors: readonly { error: string }[] | null
      }
      return errors?.some(({ error }) => error.includes('traverses symlink: d')) || undefined
    })
    assert.deepEqual(filesOf(outside), ['f=untouched'])
    assert.equal(readFileSync(join(keeper.root, 'd/f'), 'utf8'), 'first')
    rmSync(join(keeper.root, '.stversions', 'd'))
    await untilInSync([keeper, source], { except: NOT_VERSIONS })
    assert.deepEqual(filesOf(join(keeper.root, '.stversions')), ['d/f~TIME=first'])
  },
)
