import assert from 'node:assert/strict'
import { closeSync, constants, mkdtempSync, openSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { FileOrder } from '../../../src/platform/file-maker.ts'
import { DiskThreads } from '../../../src/platform/node/threads/disk-threads.ts'
import { nodeDisk } from '../../../src/platform/node/disk/disk.ts'
import { NodeFileMaker } from '../../../src/platform/node/file-maker.ts'

const NOT_LINUX = process.platform !== 'linux' && 'only Linux has this way'
const NO_SUCH_WAY = 'the file system of the temporary directory has no direct access'
const CRASHING = new URL('./crashing-make-worker.ts', import.meta.url)

function orderIn(directory: string, name: string): FileOrder {
  return {
    temporaryPath: `${directory}/.syncthing.${name}.tmp`,
    path: `${directory}/${name}`,
    realDirectory: directory,
    data: Buffer.from(name),
    hash: undefined,
    openMode: 0o644,
    mode: undefined,
    modifiedS: 1,
    modifiedNs: 0,
    replaces: undefined,
    sync: false,
  }
}

/** The flags of an open file, as the kernel reports them. */
function flagsOf(descriptor: number): number {
  const flags = /^flags:\t([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1]
  assert.ok(flags !== undefined)
  return Number.parseInt(flags, 8)
}

/** O_DIRECT in `flagsOf`, read from the kernel: it differs by architecture, and an emulator shows its host's. */
function directFlag(path: string): number {
  const [plain, direct] = [0, constants.O_DIRECT].map((more) => {
    const descriptor = openSync(path, constants.O_RDWR | more)
    try {
      return flagsOf(descriptor)
    } finally {
      closeSync(descriptor)
    }
  })
  const bit = direct! & ~plain!
  assert.notEqual(bit, 0)
  return bit
}

test('a crashed thread fails its pending files, and the next files get a new one', async () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'twinfold-maker-')))
  await using threads = new DiskThreads({ threads: 1, entry: CRASHING })
  const maker = new NodeFileMaker({ isStarted: true, make: (orders) => threads.make(orders) })
  try {
    const lost = await Promise.all(['crash', 'b', 'c'].map((name) => maker.make(orderIn(directory, name))))
    assert.deepEqual(
      lost.map((outcome) => outcome.kind === 'failed' && outcome.code),
      ['EIO', 'EIO', 'EIO'],
    )
    assert.equal((await maker.make(orderIn(directory, 'd'))).kind, 'made')
    assert.equal(readFileSync(`${directory}/d`, 'utf8'), 'd')
  } finally {
    rmSync(directory, { recursive: true })
  }
})

test('closing the threads settles all pending calls', async () => {
  const threads = new DiskThreads({ threads: 1 })
  const maker = new NodeFileMaker({ isStarted: true, make: (orders) => threads.make(orders) })
  await threads[Symbol.asyncDispose]()
  const outcome = await maker.make(orderIn('/nowhere', 'f'))
  assert.equal(outcome.kind === 'failed' && outcome.code, 'EIO')
})

test(
  'a large block goes past the memory of the system, and by way of it where the disk does not want that',
  { skip: NOT_LINUX },
  async (t) => {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), 'twinfold-maker-')))
    await using threads = new DiskThreads({ threads: 1 })
    const maker = new NodeFileMaker({ isStarted: true, make: (orders) => threads.make(orders) })
    const data = maker.memory(1_048_576).fill(7)
    const hash = createHash('sha256').update(data).digest()
    try {
      await using file = await nodeDisk.open(`${directory}/f`, 'create')
      assert.ok(await maker.write(file, { data, positionBytes: 0, hash }))
      const { directDescriptor } = file
      if (directDescriptor === undefined) return t.skip(NO_SUCH_WAY)
      assert.equal(flagsOf(directDescriptor) & directFlag(`${directory}/f`), directFlag(`${directory}/f`))
      const unwilling = openSync(`${directory}/f`, 'r') // nothing can be written to it
      const odd = new Proxy(file, {
        get: (target, key) => (key === 'directDescriptor' ? unwilling : Reflect.get(target, key, target)),
      })
      assert.ok(await maker.write(odd, { data, positionBytes: 1_048_576, hash }))
      closeSync(unwilling)
      assert.ok(readFileSync(`${directory}/f`).equals(Buffer.alloc(2_097_152, 7)))
    } finally {
      rmSync(directory, { recursive: true })
    }
  },
)

test('the direct descriptor is closed with the file', { skip: NOT_LINUX }, async (t) => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'twinfold-maker-')))
  try {
    const file = await nodeDisk.open(`${directory}/f`, 'create')
    const { descriptor, directDescriptor } = file
    if (directDescriptor === undefined) return t.skip(NO_SUCH_WAY)
    assert.notEqual(directDescriptor, descriptor)
    assert.equal(file.directDescriptor, directDescriptor)
    await file.close()
    assert.throws(() => closeSync(directDescriptor), { code: 'EBADF' })
  } finally {
    rmSync(directory, { recursive: true })
  }
})
