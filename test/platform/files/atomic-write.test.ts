import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemCode } from '../../../src/core/errors.ts'
import { writeFileAtomically } from '../../../src/platform/files/atomic-write.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'
import { SimDisk, type CrashKeep } from '../../../src/platform/sim/disk.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'
import { reportRow } from '../../support/effort.ts'

const PATH = '/home/config.xml'
const TEMPORARY = 'config.xml.tmp'
const OLD = 'old '.repeat(3_000)
const NEW = 'new content, longer than the old '.repeat(900)

function diskWithOld(): SimDisk {
  const disk = new SimDisk(new SimClock())
  disk.put(PATH, OLD, 0o600)
  return disk
}

function save(disk: SimDisk, permissions = 0o600): Promise<void> {
  return writeFileAtomically(disk, PATH, Buffer.from(NEW), permissions, TEMPORARY)
}

function contentOf(disk: SimDisk): string {
  const into = Buffer.alloc(100_000)
  return into.toString('utf8', 0, disk.sync.read(PATH, into, 0))
}

function namesIn(disk: SimDisk): string[] {
  return disk.sync
    .list('/home')
    .map(({ name }) => name)
    .sort()
}

test('C-03, C-04: a crash at every call leaves the old or the new content, never a mixture', async () => {
  const keeps: CrashKeep[] = ['nothing', 'everything']
  for (let seed = 1; seed <= 200; seed++) keeps.push(new SimRandom(seed))
  let tried = 0
  let torn = 0
  let calls = 0
  for (let finished = false; !finished; calls++) {
    for (const keep of keeps) {
      const disk = diskWithOld()
      disk.faults.powerOffAt(calls + 1)
      finished = await save(disk).then(
        () => true,
        () => false,
      )
      disk.crash(keep)
      tried++
      const content = contentOf(disk)
      if (content !== NEW && (finished || content !== OLD)) torn++
      await save(disk) // what the crash left is not in the way of the next save
      assert.equal(contentOf(disk), NEW)
      assert.deepEqual(namesIn(disk), ['config.xml'])
    }
  }
  reportRow({ id: 'C-03', what: 'atomic write', calls, tried: 2 * calls, survived: 2 * calls - torn, torn })
  reportRow({ id: 'C-04', what: 'atomic write', tried: tried - 2 * calls, survived: tried - 2 * calls - torn, torn })
  assert.equal(torn, 0)
  assert.ok(calls >= 6)
})

test('the crash test detects a rename without a sync', async () => {
  let lost = 0
  for (let seed = 1; seed <= 50; seed++) {
    const disk = diskWithOld()
    const file = await disk.open(`/home/${TEMPORARY}`, 'create', 0o600)
    await file.write(Buffer.from(NEW), 0)
    await disk.rename(`/home/${TEMPORARY}`, PATH)
    await disk.syncDirectory('/home')
    disk.crash(new SimRandom(seed))
    if (contentOf(disk) !== NEW && contentOf(disk) !== OLD) lost++
  }
  assert.ok(lost > 25, `only ${lost} of 50 crashes lost anything`)
})

test('C-07: an error of any call leaves the old content or the new and no temporary file', async () => {
  const codes = ['EIO', 'ENOSPC', 'EDQUOT', 'EROFS', 'EACCES']
  let tried = 0
  for (const code of codes) {
    for (const call of ['open', 'write', 'sync', 'close', 'rename', 'syncDirectory'] as const) {
      const disk = diskWithOld()
      disk.fail({ call, code })
      await assert.rejects(save(disk), (error) => systemCode(error) === code)
      assert.equal(contentOf(disk), call === 'syncDirectory' ? NEW : OLD)
      assert.deepEqual(namesIn(disk), ['config.xml'])
      tried++
    }
  }
  reportRow({ id: 'C-07', what: 'atomic write', tried, survived: tried })
})

test('a full disk leaves the old content and frees the space', async () => {
  const disk = new SimDisk(new SimClock(), { capacityBytes: 20_000 })
  disk.put(PATH, OLD)
  const before = await disk.space('/home')
  await assert.rejects(save(disk), { code: 'ENOSPC' })
  assert.equal(contentOf(disk), OLD)
  assert.deepEqual(await disk.space('/home'), before)
})

test('the file is created private and gets its mode before the rename', async () => {
  const disk = diskWithOld()
  const modes = new Set<number>()
  using _ = disk.subscribe(({ kind, path }) => {
    if (kind === 'removed') return
    if (path.endsWith(TEMPORARY)) modes.add(disk.sync.lstat(path).mode)
    else modes.add(disk.sync.lstat(PATH).mode + 0o10000)
  })
  await save(disk, 0o640)
  assert.deepEqual([...modes], [0o600, 0o640, 0o10640])
})

test('a leftover temporary file is replaced, a symlink there is not followed', async () => {
  const disk = diskWithOld()
  disk.put('/elsewhere', 'precious')
  await disk.makeSymlink('/elsewhere', `/home/${TEMPORARY}`)
  await save(disk)
  assert.equal(contentOf(disk), NEW)
  const into = Buffer.alloc(100)
  assert.equal(into.toString('utf8', 0, disk.sync.read('/elsewhere', into, 0)), 'precious')
})

test('a directory with the temporary name is kept', async () => {
  const disk = diskWithOld()
  await disk.makeDirectory(`/home/${TEMPORARY}`, 0o755)
  await assert.rejects(save(disk), { code: 'EISDIR' })
  assert.equal(contentOf(disk), OLD)
  assert.deepEqual(namesIn(disk), ['config.xml', TEMPORARY])
})
