import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemCode } from '../../../src/core/errors.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'
import { SimDisk, type CrashKeep, type SimChange } from '../../../src/platform/sim/disk.ts'
import { POWER_OFF } from '../../../src/platform/sim/disk-faults.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'

test('a crash discards unsynced content', async () => {
  const disk = newDisk()
  disk.put('/d/a', 'old')
  await using file = await disk.open('/d/a', 'write')
  await file.write(Buffer.from('new and longer'), 0)
  disk.crash()
  assert.equal(content(disk, '/d/a'), 'old')
})

test('a crash keeps synced content', async () => {
  const disk = newDisk()
  disk.put('/d/a', 'old')
  await using file = await disk.open('/d/a', 'write')
  await file.write(Buffer.from('new'), 0)
  await file.sync()
  await file.write(Buffer.from('not this'), 0)
  disk.crash()
  assert.equal(content(disk, '/d/a'), 'new')
})

test('a crash discards a new name whose directory was not synced, even of a synced file', async () => {
  const disk = newDisk()
  await using file = await disk.open('/d/a', 'create')
  await file.write(Buffer.from('x'), 0)
  await file.sync()
  disk.crash()
  assert.deepEqual(disk.sync.list('/d'), [])
})

test('a crash brings back a name whose removal was not synced, with its synced content', async () => {
  const disk = newDisk()
  disk.put('/d/a', 'precious')
  await disk.removeFile('/d/a')
  disk.crash()
  assert.equal(content(disk, '/d/a'), 'precious')
  await disk.removeFile('/d/a')
  await disk.syncDirectory('/d')
  disk.crash()
  assert.deepEqual(disk.sync.list('/d'), [])
})

test('a rename is atomic, also between directories', async () => {
  for (let seed = 0; seed < 30; seed++) {
    const disk = newDisk()
    await disk.makeDirectory('/e', 0o755)
    disk.put('/d/a', 'x')
    await disk.rename('/d/a', '/e/b')
    disk.crash(new SimRandom(seed))
    assert.equal(disk.sync.list('/d').length + disk.sync.list('/e').length, 1, `seed ${seed}`)
  }
})

test('syncing the directory of one half of a rename makes both durable', async () => {
  const disk = newDisk()
  await disk.makeDirectory('/e', 0o755)
  disk.put('/d/a', 'x')
  await disk.rename('/d/a', '/e/b')
  await disk.syncDirectory('/e')
  disk.crash()
  assert.deepEqual(disk.sync.list('/d'), [])
  assert.equal(content(disk, '/e/b'), 'x')
})

test('a crash may reorder renames of different names, never of one', async () => {
  const seen = new Set<string>()
  for (let seed = 0; seed < 200; seed++) {
    const disk = newDisk()
    disk.put('/d/a', 'a')
    disk.put('/d/b', 'b')
    await disk.rename('/d/a', '/d/c')
    await disk.rename('/d/b', '/d/e')
    await disk.rename('/d/c', '/d/f')
    disk.crash(new SimRandom(seed))
    seen.add(
      disk.sync
        .list('/d')
        .map(({ name }) => name)
        .sort()
        .join(''),
    )
  }
  assert.deepEqual([...seen].sort(), ['ab', 'ae', 'bc', 'bf', 'ce', 'ef'])
})

test('a crash tears unsynced content at sectors and may leave any intermediate size', async () => {
  const sizes = new Set<number>()
  let torn = 0
  for (let seed = 0; seed < 200; seed++) {
    const disk = newDisk()
    disk.put('/d/a', 'o'.repeat(4_096))
    await using file = await disk.open('/d/a', 'write')
    await file.write(Buffer.from('n'.repeat(4_096)), 0)
    await file.write(Buffer.from('n'.repeat(4_096)), 4_096)
    disk.crash(new SimRandom(seed))
    const found = content(disk, '/d/a')
    sizes.add(found.length)
    assert.match(found.slice(0, 4_096), /^(o{512}|n{512}){8}$/)
    assert.match(found.slice(4_096), /^(\0{512}|n{512})*$/)
    if (/on|no/.test(found)) torn++
  }
  assert.deepEqual([...sizes].sort(), [4_096, 8_192])
  assert.ok(torn > 100)
})

test('a crash that keeps everything only ends the process', async () => {
  const disk = newDisk()
  const file = await disk.open('/d/a', 'create')
  await file.write(Buffer.from('x'), 0)
  assert.ok(await disk.lock('/d/lock'))
  disk.crash('everything')
  assert.equal(content(disk, '/d/a'), 'x')
  await assert.rejects(file.write(Buffer.from('y'), 0), { code: 'EBADF' })
  assert.ok(await disk.lock('/d/lock'), 'the lock went with its process')
})

test('a lock from before a crash cannot release a later one', async () => {
  const disk = newDisk()
  const old = await disk.lock('/d/lock')
  disk.crash('everything')
  await using _ = await disk.lock('/d/lock')
  await old?.[Symbol.asyncDispose]()
  assert.equal(await disk.lock('/d/lock'), undefined)
  assert.equal(disk.sync.lstat('/d/lock').type, 'file')
})

test('unsynced permissions and times are lost', async () => {
  const disk = newDisk()
  disk.put('/d/a', 'x', 0o600)
  const { modifiedS } = disk.sync.lstat('/d/a')
  await disk.chmod('/d/a', 0o777)
  await disk.setModified('/d/a', 1, 0)
  disk.crash()
  assert.equal(disk.sync.lstat('/d/a').mode, 0o600)
  assert.equal(disk.sync.lstat('/d/a').modifiedS, modifiedS)
})

test('the same seed crashes to the same state', async () => {
  const run = async (keep: CrashKeep): Promise<string> => {
    const disk = newDisk()
    for (const name of ['a', 'b', 'c']) {
      await using file = await disk.open(`/d/${name}`, 'create')
      await file.write(Buffer.from(name.repeat(3_000)), 0)
    }
    disk.crash(keep)
    return JSON.stringify(disk.sync.list('/d').map(({ name }) => [name, content(disk, `/d/${name}`)]))
  }
  assert.equal(await run(new SimRandom(7)), await run(new SimRandom(7)))
  const states = new Set<string>()
  for (let seed = 0; seed < 20; seed++) states.add(await run(new SimRandom(seed)))
  assert.ok(states.size > 10)
})

test('after a power loss every call fails until the restart', async () => {
  const disk = newDisk()
  disk.put('/d/a', 'x')
  disk.faults.powerOffAt(2)
  await disk.lstat('/d/a')
  for (let i = 0; i < 3; i++) await assert.rejects(disk.lstat('/d/a'), { code: POWER_OFF })
  assert.throws(() => disk.sync.list('/d'), { code: POWER_OFF })
  disk.crash()
  await disk.lstat('/d/a')
})

test('the n-th call of a kind fails, for the given count and path', async () => {
  const disk = newDisk()
  disk.put('/d/a', 'x')
  disk.put('/e/a', 'x')
  disk.fail({ call: 'stat', code: 'EIO', nth: 2, times: 2, under: '/d' })
  const codes: (string | undefined)[] = []
  for (const path of ['/d/a', '/e/a', '/d', '/d/a', '/d/a', '/da']) {
    codes.push(await disk.lstat(path).then(() => 'ok', systemCode))
  }
  assert.deepEqual(codes, ['ok', 'ok', 'EIO', 'EIO', 'ok', 'ENOENT'])
})

test('reads of open files return corrupt data by fault, path and count; stored data stays', async () => {
  const disk = new SimDisk(new SimClock())
  disk.put('/a', 'true')
  disk.put('/b', 'true')
  disk.rot({ nth: 2, times: 1, under: '/a' })
  const read = async (path: string): Promise<string> => {
    await using file = await disk.open(path, 'read')
    const into = Buffer.alloc(4)
    await file.read(into, 0)
    return into.toString('latin1')
  }
  const seen = [await read('/a'), await read('/b'), await read('/a'), await read('/a')]
  assert.deepEqual(
    seen.map((text) => text === 'true'),
    [true, true, false, true],
  )
  assert.equal(disk.faults.corruptReads, 1)
  disk.rot({ under: '/a' })
  disk.faults.clear()
  assert.equal(await read('/a'), 'true')
})

test('a write that does not fit writes what fits; a removal frees space', async () => {
  const disk = new SimDisk(new SimClock(), { capacityBytes: 3 * 4_096 })
  disk.put('/d/a', 'x'.repeat(4_096))
  await using file = await disk.open('/d/b', 'create')
  await assert.rejects(file.write(Buffer.alloc(100_000, 'y'), 0), { code: 'ENOSPC' })
  assert.equal((await file.stat()).sizeBytes, 2 * 4_096)
  assert.equal((await disk.space('/')).freeBytes, 0)
  await file.write(Buffer.from('fits'), 0) // the room is taken already
  await disk.removeFile('/d/a')
  await file.write(Buffer.from('fits now'), 2 * 4_096)
  await file.truncate(0)
  assert.equal((await disk.space('/')).freeBytes, 3 * 4_096)
})

test('on a case-insensitive disk names match in any case, and keep their case', async () => {
  const disk = new SimDisk(new SimClock(), { caseInsensitive: true })
  disk.put('/d/Photo.JPG', 'x')
  assert.equal(content(disk, '/D/photo.jpg'), 'x')
  await assert.rejects(disk.open('/d/PHOTO.jpg', 'create'), { code: 'EEXIST' })
  assert.deepEqual(disk.sync.list('/d'), [{ name: 'Photo.JPG', valid: true }])
  assert.equal(await disk.realPath('/D/photo.jpg'), '/d/Photo.JPG')
  await disk.rename('/d/Photo.JPG', '/d/photo.jpg')
  assert.deepEqual(disk.sync.list('/d'), [{ name: 'photo.jpg', valid: true }])
})

test('coarse times are rounded down, also before 1970', async () => {
  const disk = new SimDisk(new SimClock(), { modifiedStepNs: 2_000_000_000n })
  disk.put('/d/a', 'x')
  await disk.setModified('/d/a', 1_001, 999)
  assert.deepEqual([disk.sync.lstat('/d/a').modifiedS, disk.sync.lstat('/d/a').modifiedNs], [1_000, 0])
  await disk.setModified('/d/a', -1, 5)
  assert.equal(disk.sync.lstat('/d/a').modifiedS, -2)
})

test('calls have the configured latency', async () => {
  const clock = new SimClock()
  const disk = new SimDisk(clock, { latencyMs: 10 })
  const done = disk
    .makeDirectories('/d', 0o755)
    .then(() => disk.list('/d'))
    .then(() => clock.monotonicMs())
  await clock.advance(100, () => new Promise((resolve) => setImmediate(resolve)))
  assert.equal(await done, 20)
})

test('a subscriber gets every change once, by real path, until it unsubscribes', async () => {
  const disk = newDisk()
  disk.put('/d/before', 'x')
  await disk.makeSymlink('/d', '/link')
  const seen: string[] = []
  const subscription = disk.subscribe((change: SimChange) => seen.push(`${change.kind} ${change.path}`))
  await using file = await disk.open('/link/a', 'create')
  await file.write(Buffer.from('x'), 0)
  await disk.rename('/link/a', '/link/b')
  await disk.chmod('/d/b', 0o600)
  await disk.makeDirectories('/link/x/y', 0o755)
  await disk.removeFile('/link/before')
  subscription[Symbol.dispose]()
  await disk.removeFile('/d/b')
  assert.deepEqual(seen, [
    'changed /d/a',
    'changed /d/a',
    'removed /d/a',
    'changed /d/b',
    'changed /d/b',
    'changed /d/x',
    'changed /d/x/y',
    'removed /d/before',
  ])
})

function newDisk(): SimDisk {
  const disk = new SimDisk(new SimClock())
  disk.put('/d/seed', '')
  disk.sync.removeFile('/d', 'seed')
  disk.syncAll()
  return disk
}

function content(disk: SimDisk, path: string): string {
  const into = Buffer.alloc(100_000)
  return into.toString('latin1', 0, disk.sync.read(path, into, 0))
}
