import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Disk, SyncDisk } from '../../../src/platform/disk.ts'
import { anchoredDisk } from '../../../src/platform/files/anchored-disk.ts'
import { nodeDisk } from '../../../src/platform/node/disk/disk.ts'
import { walkDisk } from '../../../src/platform/node/disk/walk-disk.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'
import { SimDisk } from '../../../src/platform/sim/disk.ts'
import { scratchDirectory } from '../../support/scratch.ts'

interface Bench extends Disposable {
  readonly disk: Disk
  readonly sync: Pick<SyncDisk, 'removeFile'>
  readonly path: string
}

const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  real: async () => ({ disk: nodeDisk, sync: walkDisk, ...pathOf(scratchDirectory()) }),
  sim: async () => {
    const disk = new SimDisk(new SimClock())
    await disk.makeDirectories('/scratch', 0o755)
    return { disk, sync: disk.sync, path: '/scratch', [Symbol.dispose]: () => {} }
  },
}

function pathOf(scratch: ReturnType<typeof scratchDirectory>): Pick<Bench, 'path' | typeof Symbol.dispose> {
  return { path: scratch.path, [Symbol.dispose]: () => scratch[Symbol.dispose]() }
}

/** Every call that refers to an item, with the item `x` of a directory; `other` is a file of another one. */
const CALLS: Readonly<Record<string, (disk: Disk, x: string, other: string) => Promise<unknown>>> = {
  open: async (disk, x) => (await disk.open(x, 'read')).close(),
  create: async (disk, x) => (await disk.open(`${x}-new`, 'create')).close(),
  lstat: (disk, x) => disk.lstat(x),
  list: (disk, x) => disk.list(x.slice(0, -2)),
  makeDirectory: (disk, x) => disk.makeDirectory(`${x}-new`, 0o755),
  removeFile: (disk, x) => disk.removeFile(x),
  removeDirectory: (disk, x) => disk.removeDirectory(`${x}-directory`),
  'rename from it': (disk, x, other) => disk.rename(x, other),
  'rename to it': (disk, x, other) => disk.rename(other, x),
  exchange: (disk, x, other) => disk.exchange(x, other),
  'renameNew from it': (disk, x, other) => disk.renameNew(x, `${other}-new`),
  'renameNew to it': (disk, x, other) => disk.renameNew(other, `${x}-new`),
  copyNew: (disk, x, other) => disk.copyNew(other, `${x}-new`, 0o644),
  linkNew: (disk, x, other) => disk.linkNew(other, `${x}-new`),
  makeSymlink: (disk, x) => disk.makeSymlink('target', `${x}-new`),
  readSymlink: (disk, x) => disk.readSymlink(`${x}-symlink`),
  chmod: (disk, x) => disk.chmod(x, 0o600),
  setModified: (disk, x) => disk.setModified(x, 1_000, 0),
}

async function put(disk: Disk, path: string): Promise<void> {
  await (await disk.open(path, 'create', 0o644)).close()
}

/** The folder `root` with the directory `d`, and a directory of the same content outside. */
async function arrange({ disk, path }: Bench): Promise<{ root: string; outside: string }> {
  const [root, outside] = [`${path}/root`, `${path}/outside`]
  for (const directory of [`${root}/d`, `${root}/e/f`, outside]) {
    await disk.makeDirectories(directory, 0o755)
    await put(disk, `${directory}/x`)
    await disk.makeDirectory(`${directory}/x-directory`, 0o755)
    await disk.makeSymlink('target', `${directory}/x-symlink`)
  }
  await put(disk, `${root}/other`)
  return { root, outside }
}

async function stateOf(disk: Disk, directory: string): Promise<unknown> {
  const items = (await disk.list(directory)).map(({ name }) => name).sort()
  return [
    await disk.lstat(directory),
    await Promise.all(items.map((name) => disk.lstat(`${directory}/${name}`))),
    items,
  ]
}

for (const [name, start] of Object.entries(BENCHES)) {
  test(`${name} disk, anchored: every call works below its directories`, async () => {
    for (const [what, call] of Object.entries(CALLS)) {
      for (const directory of ['d', 'e/f']) {
        using bench = await start()
        const { root } = await arrange(bench)
        await assert.doesNotReject(
          call(anchoredDisk(bench.disk, root), `${root}/${directory}/x`, `${root}/other`),
          `${what} in ${directory}`,
        )
      }
    }
  })

  test(`${name} disk, anchored: no call leads through a symlink in place of a directory, direct or above`, async () => {
    for (const [what, call] of Object.entries(CALLS)) {
      for (const [swapped, directory] of [
        ['d', 'd'],
        ['e', 'e/f'],
      ] as const) {
        using bench = await start()
        const { root, outside } = await arrange(bench)
        if (swapped === 'e') await bench.disk.makeSymlink(outside, `${outside}/f`)
        const before = await stateOf(bench.disk, outside)
        await bench.disk.rename(`${root}/${swapped}`, `${bench.path}/aside`)
        await bench.disk.makeSymlink(outside, `${root}/${swapped}`)
        const done = call(anchoredDisk(bench.disk, root), `${root}/${directory}/x`, `${root}/other`)
        await assert.rejects(done, { code: 'ELOOP' }, `${what} in ${directory}`)
        assert.deepEqual(await stateOf(bench.disk, outside), before, `${what} in ${directory}`)
      }
    }
  })

  test(`${name} disk: a walk removes no temporary file through a symlink in place of a directory`, async () => {
    using bench = await start()
    const { root, outside } = await arrange(bench)
    await bench.disk.makeSymlink(bench.path, `${root}/link`)
    bench.sync.removeFile(root, 'd/x')
    await assert.rejects(bench.disk.lstat(`${root}/d/x`), { code: 'ENOENT' })
    assert.throws(() => bench.sync.removeFile(root, 'link/outside/x'), { code: 'ELOOP' })
    assert.equal((await bench.disk.lstat(`${outside}/x`)).type, 'file')
  })

  test(`${name} disk, anchored: a missing directory, or a file in its place, is no symlink`, async () => {
    using bench = await start()
    const { root } = await arrange(bench)
    const disk = anchoredDisk(bench.disk, root)
    await assert.rejects(disk.lstat(`${root}/missing/x`), { code: 'ENOENT' })
    await assert.rejects(disk.lstat(`${root}/other/x`), { code: 'ENOTDIR' })
  })

  test(`${name} disk, anchored: the root may be a symlink, and paths elsewhere are passed on`, async () => {
    using bench = await start()
    const { root, outside } = await arrange(bench)
    await bench.disk.makeSymlink(root, `${bench.path}/alias`)
    const disk = anchoredDisk(bench.disk, `${bench.path}/alias`)
    await put(disk, `${bench.path}/alias/d/new`)
    assert.equal((await bench.disk.lstat(`${root}/d/new`)).type, 'file')
    assert.equal((await disk.lstat(`${outside}/x`)).type, 'file')
    assert.ok((await disk.list(`${bench.path}/alias`)).length > 0)
  })
}

for (const [name, start] of Object.entries(BENCHES)) {
  test(`N-07: ${name} disk, anchored: a symlink to a sibling of other case or normal form leads nowhere`, async () => {
    for (const [what, call] of Object.entries(CALLS)) {
      for (const [sibling, swapped] of [
        ['dir', 'Dir'],
        ['\u00e9', 'e\u0301'],
      ] as const) {
        using bench = await start()
        const { root } = await arrange(bench)
        await bench.disk.rename(`${root}/e`, `${root}/${sibling}`)
        const before = await stateOf(bench.disk, `${root}/${sibling}/f`)
        await bench.disk.makeSymlink(sibling, `${root}/${swapped}`)
        const swap = () => call(anchoredDisk(bench.disk, root), `${root}/${swapped}/f/x`, `${root}/other`)
        await assert.rejects(swap(), { code: 'ELOOP' }, what)
        assert.deepEqual(await stateOf(bench.disk, `${root}/${sibling}/f`), before, what)
      }
    }
  })
}

test('sim disk, anchored: on a disk that folds case another spelling is the same place', async () => {
  const disk = new SimDisk(new SimClock(), { caseInsensitive: true })
  await disk.makeDirectories('/root/Docs', 0o755)
  await put(anchoredDisk(disk, '/root'), '/root/docs/x')
  assert.equal((await disk.lstat('/root/Docs/x')).type, 'file')
  await disk.makeDirectories('/root/Docs/Inner/\u00e9', 0o755)
  await put(anchoredDisk(disk, '/root'), '/root/DOCS/inner/e\u0301/x')
  assert.equal((await disk.lstat('/root/Docs/Inner/\u00e9/x')).type, 'file')
})

test('a path that is too long for other programs is refused, as without anchor', async () => {
  using bench = await BENCHES['real']!()
  const root = `${bench.path}/root`
  await bench.disk.makeDirectory(root, 0o755)
  const disk = anchoredDisk(bench.disk, root)
  const name = 'd'.repeat(200)
  let directory = root
  while (directory.length + name.length < 4_090) {
    directory = `${directory}/${name}`
    await disk.makeDirectory(directory, 0o755)
  }
  for (const each of [bench.disk, disk]) {
    await assert.rejects(each.makeDirectory(`${directory}/${name}`, 0o755), { code: 'ENAMETOOLONG' })
  }
})
