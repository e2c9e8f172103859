import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Accounts } from '../../src/core/attributes/accounts.ts'
import { ancestorsOf, scanScope } from '../../src/core/paths.ts'
import { diskStampOf } from '../../src/core/records/disk-stamp.ts'
import { FLAG_IGNORED, FLAG_MUST_RESCAN, type FileInfo } from '../../src/core/records/file-info.ts'
import type { ScanRequest } from '../../src/scanner/types.ts'
import { SimFolder } from './sim-folder.ts'

const NAME = 'a/b/file'

type Options = Partial<ScanRequest> & { lines?: readonly string[] }
interface Change {
  readonly what: string
  readonly subs?: readonly string[]
  readonly options?: Options
  change?(folder: SimFolder): unknown
}

function edit(folder: SimFolder, name: string, change: Partial<FileInfo>): void {
  folder.index.records.set(name, { ...folder.index.records.get(name)!, ...change })
}

/** A file that is as its record says under a name that no item has. */
async function putRecorded(folder: SimFolder, name: string): Promise<void> {
  folder.put(name, 'file')
  const stat = await folder.disk.lstat(`/f/${name}`)
  const { modifiedS, modifiedNs } = stat
  const { records } = folder.index
  const diskStamp = diskStampOf(stat)
  records.set(name, { ...records.get(NAME)!, name, modifiedS, modifiedNs, diskStamp })
  for (const parent of ancestorsOf(name).slice(1)) records.set(parent, { ...records.get('a')!, name: parent })
}

const CHANGES: readonly Change[] = [
  { what: 'nothing' },
  { what: 'content of the same size', change: (folder) => folder.put(NAME, 'FILE') },
  { what: 'content and size', change: (folder) => folder.put(NAME, 'longer than before') },
  { what: 'permissions', change: ({ disk }) => disk.chmod(`/f/${NAME}`, 0o600) },
  { what: 'time', change: ({ disk }) => disk.setModified(`/f/${NAME}`, 1_000, 5) },
  { what: 'time with its content', change: ({ disk }) => disk.setModified(`/f/${NAME}`, 0, 0) },
  { what: 'deleted', change: ({ disk }) => disk.removeFile(`/f/${NAME}`) },
  {
    what: 'a directory in its place',
    async change({ disk }) {
      await disk.removeFile(`/f/${NAME}`)
      disk.put(`/f/${NAME}/below`, 'x')
    },
  },
  {
    what: 'a symlink in its place',
    async change({ disk }) {
      await disk.removeFile(`/f/${NAME}`)
      await disk.makeSymlink('c', `/f/${NAME}`)
    },
  },
  {
    what: 'a symlink above it',
    async change({ disk }) {
      await disk.rename('/f/a/b', '/f/a/c')
      await disk.makeSymlink('c', '/f/a/b')
    },
  },
  {
    what: 'a file above it',
    async change({ disk }) {
      await disk.removeFile(`/f/${NAME}`)
      await disk.removeDirectory('/f/a/b')
      disk.put('/f/a/b', 'x')
    },
  },
  { what: 'ignored', options: { lines: ['file'] } },
  { what: 'below an ignored directory', options: { lines: ['/a/b'] } },
  { what: 'below an ignored directory, and kept', options: { lines: ['!/a/b/file', '/a/b'] } },
  {
    what: 'unreadable',
    change: ({ disk }) => disk.fail({ call: 'stat', code: 'EACCES', under: `/f/${NAME}`, times: 9 }),
  },
  {
    what: 'above it unreadable',
    change: ({ disk }) => disk.fail({ call: 'stat', code: 'EIO', under: '/f/a/b', times: 9 }),
  },
  { what: 'recorded as deleted', change: (folder) => edit(folder, NAME, { deleted: true }) },
  {
    what: 'a record below it',
    change: (folder) =>
      folder.index.records.set(`${NAME}/below`, { ...folder.index.records.get(NAME)!, name: `${NAME}/below` }),
  },
  { what: 'not recorded', change: ({ index }) => index.records.delete(NAME) },
  { what: 'recorded as ignored', change: (folder) => edit(folder, NAME, { localFlags: FLAG_IGNORED }) },
  { what: 'to be read again', change: (folder) => edit(folder, NAME, { localFlags: FLAG_MUST_RESCAN }) },
  { what: 'recorded without a stamp', change: (folder) => edit(folder, NAME, { diskStamp: undefined }) },
  { what: 'directory not recorded', change: ({ index }) => index.records.delete('a/b') },
  { what: 'directory recorded as deleted', change: (folder) => edit(folder, 'a', { deleted: true }) },
  { what: 'directory recorded as ignored', change: (folder) => edit(folder, 'a', { localFlags: FLAG_IGNORED }) },
  { what: 'directory recorded as a symlink', change: (folder) => edit(folder, 'a/b', { type: 'symlink' }) },
  { what: 'directory changed', change: ({ disk }) => disk.chmod('/f/a/b', 0o700) },
  ...['a/.syncthing.file.tmp', 'a/.SYNCTHING.file.tmp', '.stfolder/file', '.stversions/file'].map((name) => ({
    what: `a file ${JSON.stringify(name)} that has a record`,
    subs: [name],
    change: (folder: SimFolder) => putRecorded(folder, name),
  })),
  { what: 'a directory', subs: ['a/b'] },
  { what: 'the folder', subs: [''] },
  { what: 'two files', subs: ['a/b/file', 'other'], change: (folder) => folder.put('other', 'changed') },
  { what: 'a name that is not in NFC', subs: ['a/e\u0301'], change: (folder) => folder.put('a/e\u0301') },
  { what: 'a file that was recorded later', subs: ['new'], change: (folder) => putRecorded(folder, 'new') },
  { what: 'a missing name', subs: ['a/none'] },
]

/** What a scan leaves and returns. */
async function outcome({ subs = [NAME], options = {}, change }: Change, isShort: boolean) {
  const folder = new SimFolder()
  for (const name of [NAME, 'other']) folder.put(name, name === NAME ? 'file' : 'other')
  await folder.scan()
  await folder.clock.advance(5_000, async () => {})
  await change?.(folder)
  let walks = 0
  const { walker } = folder.deps
  Object.assign(folder.deps, {
    walker: {
      walk: (...call: Parameters<typeof walker.walk>) => (walks++, walker.walk(...call)),
      findFile: (...call: Parameters<typeof walker.findFile>) => (isShort ? walker.findFile(...call) : undefined),
    },
  })
  const result = await folder.scan({ ...options, subs: scanScope(subs) })
  return { walks, left: { result, records: folder.index.records } }
}

test('a scan of one file leaves the same with and without the look at it', async () => {
  for (const change of CHANGES) {
    const short = await outcome(change, true)
    const long = await outcome(change, false)
    assert.deepEqual(short.left, long.left, change.what)
    assert.equal(long.walks > 0, true, change.what)
  }
})

test('only a file that is as its record says is not walked', async () => {
  const unwalked: string[] = []
  for (const change of CHANGES) if ((await outcome(change, true)).walks === 0) unwalked.push(change.what)
  assert.deepEqual(unwalked, ['nothing', 'directory changed', 'a file that was recorded later'])
})

test('a scan of an unchanged file lets the guard decide, and ends when it is aborted', async () => {
  const folder = new SimFolder()
  folder.put(NAME)
  await folder.scan()
  let decided = 0
  const guard = {
    examine: () => assert.fail('nothing is gone'),
    noteNew: () => assert.fail('nothing is new'),
    decide: async () => (decided++, new Set<string>()),
  }
  await folder.scan({ subs: [NAME], guard })
  assert.equal(decided, 1)
  await assert.rejects(folder.scan({ subs: [NAME] }, AbortSignal.abort(new Error('ended'))), /ended/)
})

test('a file is walked where kept files, owners or attributes are compared, or names are folded', async () => {
  const kept = { count: 1, find: () => undefined, hasBelow: () => false, within: () => [], set() {}, forget() {} }
  const ownership = { accounts: new Accounts('', ''), synced: false }
  for (const options of [{ kept }, { ownership }, { checked: { caseInsensitive: true } }] as readonly Options[]) {
    assert.equal((await outcome({ what: '', options }, true)).walks, 1, JSON.stringify(Object.keys(options)))
  }
})
