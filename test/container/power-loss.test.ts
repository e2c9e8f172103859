/** What a power loss leaves of small files on real file systems: the image is copied at the moment of their report. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { hash, randomBytes } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { FileOrder } from '../../src/platform/file-maker.ts'
import { NodeFileMaker } from '../../src/platform/node/file-maker.ts'
import { DiskThreads } from '../../src/platform/node/threads/disk-threads.ts'
import { missingProgram, required } from '../support/debian.ts'
import { scratchDirectory } from '../support/scratch.ts'

const FILES = 100
/** The least that XFS takes is 300 MiB. */
const IMAGE_BYTES = 512 * 1_024 * 1_024
/** Those that are synced as a whole, with the Debian packages of their programs. */
const FILE_SYSTEMS = { ext4: 'e2fsprogs', xfs: 'xfsprogs', btrfs: 'btrfs-progs' } as const
type FileSystem = keyof typeof FILE_SYSTEMS
/** A copy has the identity of its original. */
const MOUNT_OPTIONS: Readonly<Record<FileSystem, string>> = { ext4: 'loop', xfs: 'loop,nouuid', btrfs: 'loop' }

function run(program: string, ...args: readonly string[]): string | undefined {
  const { error, status, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: 60_000 })
  return status === 0 ? undefined : (error?.message ?? stderr)
}

/** A file system in a file, mounted. */
function mounted(kind: FileSystem, image: string, at: string): Disposable | string {
  mkdirSync(at, { recursive: true })
  const failure = run('mount', '-o', MOUNT_OPTIONS[kind], image, at)
  if (failure !== undefined) return failure
  return { [Symbol.dispose]: () => assert.equal(run('umount', at), undefined) }
}

function madeImage(kind: FileSystem, path: string): void {
  writeFileSync(path, '')
  truncateSync(path, IMAGE_BYTES)
  assert.equal(run(`mkfs.${kind}`, '-q', kind === 'ext4' ? '-F' : '-f', path), undefined)
}

function missingImages(kind: FileSystem): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return required('root on Linux is needed to mount an image')
  const program = missingProgram(`mkfs.${kind}`, FILE_SYSTEMS[kind])
  if (program !== undefined) return program
  using scratch = scratchDirectory()
  const image = join(scratch.path, 'image')
  madeImage(kind, image)
  const tried = mounted(kind, image, join(scratch.path, 'mounted'))
  if (typeof tried === 'string') return required(`no image of ${kind} can be mounted: ${tried}`)
  tried[Symbol.dispose]()
  return undefined
}

interface MadeFiles {
  readonly contents: readonly Uint8Array[]
  /** The image as it was when all were reported as made. */
  readonly copy: string
}

async function madeFiles(kind: FileSystem, scratch: string, sync: boolean): Promise<MadeFiles> {
  const [image, copy, root] = ['image', 'copy', 'mounted'].map((name) => join(scratch, name)) as [
    string,
    string,
    string,
  ]
  madeImage(kind, image)
  using _mounted = used(mounted(kind, image, root))
  await using threads = new DiskThreads({ threads: 1 })
  const maker = new NodeFileMaker({ isStarted: true, make: (orders) => threads.make(orders) })
  const contents = Array.from({ length: FILES }, () => randomBytes(4_096))
  const orders = contents.map((data, number): FileOrder => {
    const [temporaryPath, path] = [`${root}/.syncthing.${number}.tmp`, `${root}/${number}`]
    const usual = { openMode: 0o644, mode: undefined, modifiedS: 1, modifiedNs: 0, replaces: undefined }
    return { ...usual, temporaryPath, path, realDirectory: root, data, hash: hash('sha256', data, 'buffer'), sync }
  })
  const outcomes = await maker.makeAll(orders)
  copyFileSync(image, copy)
  assert.ok(outcomes.every(({ kind: outcome }) => outcome === 'made'))
  return { contents, copy }
}

/** How many of the files have other content, or none, after a power loss when they were reported as made. */
async function countLost(kind: FileSystem, sync: boolean): Promise<number> {
  using scratch = scratchDirectory()
  const { contents, copy } = await madeFiles(kind, scratch.path, sync)
  const root = join(scratch.path, 'after')
  using _mounted = used(mounted(kind, copy, root))
  const names = new Set(readdirSync(root))
  return contents.filter((content, number) => {
    // The directory is synced later, before the records are stored: until then it may have the temporary name.
    const name = [String(number), `.syncthing.${number}.tmp`].find((each) => names.has(each))
    return name === undefined || !readFileSync(join(root, name)).equals(content)
  }).length
}

function used(mount: Disposable | string): Disposable {
  if (typeof mount === 'string') throw new Error(mount)
  return mount
}

for (const kind of ['ext4', 'xfs', 'btrfs'] as const) {
  const skip = missingImages(kind)

  test(`${kind}: small files that are reported as made are on the disk`, { skip }, async () => {
    assert.equal(await countLost(kind, true), 0)
    assert.notEqual(await countLost(kind, false), 0, 'without a sync the image shows the loss')
  })
}
