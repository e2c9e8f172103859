import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { baseOf, parentOf } from '../../src/core/paths.ts'
import type { Disk } from '../../src/platform/disk.ts'
import type { FileMaker, FileOrder, FileOutcome } from '../../src/platform/file-maker.ts'

export interface FileMakerWorld extends AsyncDisposable {
  readonly fileMaker: FileMaker
  readonly disk: Disk
  /** A directory by its real path. */
  readonly root: string
}

/** What every FileMaker owes its callers. */
export function fileMakerContract(name: string, make: () => Promise<FileMakerWorld>): void {
  function order(world: FileMakerWorld, path: string, more: Partial<FileOrder> = {}): FileOrder {
    const full = `${world.root}/${path}`
    return {
      temporaryPath: `${parentOf(full)}/.syncthing.${baseOf(path)}.tmp`,
      path: full,
      realDirectory: parentOf(full),
      data: Buffer.from(`content of ${path}`),
      openMode: 0o644, mode: 0o640, modifiedS: 1_700_000_000, modifiedNs: 0, replaces: undefined, sync: true,
      ...more,
    }
  }

  async function names(world: FileMakerWorld, directory = ''): Promise<readonly string[]> {
    return (await world.disk.list(`${world.root}${directory}`)).map((each) => each.name).sort()
  }

  async function read(world: FileMakerWorld, path: string): Promise<string> {
    await using file = await world.disk.open(`${world.root}/${path}`, 'read')
    const into = Buffer.alloc((await file.stat()).sizeBytes)
    for (let done = 0; done < into.length; ) done += await file.read(into.subarray(done), done)
    return into.toString()
  }

  async function write(world: FileMakerWorld, path: string, text: string): Promise<void> {
    await using file = await world.disk.open(`${world.root}/${path}`, 'create', 0o644)
    await file.write(Buffer.from(text), 0)
  }

  function assertFailed(outcome: FileOutcome, code: string): void {
    assert.ok(outcome.kind === 'failed', JSON.stringify(outcome))
    assert.equal(outcome.code, code, outcome.message)
  }

  for (const sync of [true, false]) {
    test(`${name}: a new file has its content, mode and time, and its temporary name is gone (sync: ${sync})`, async () => {
      await using world = await make()
      const outcome = await world.fileMaker.make(order(world, 'f', { sync, modifiedNs: 123_456_000 }))
      assert.ok(outcome.kind === 'made', JSON.stringify(outcome))
      const stat = await world.disk.lstat(`${world.root}/f`)
      assert.equal(await read(world, 'f'), 'content of f')
      assert.deepEqual([stat.type, stat.mode, stat.modifiedS], ['file', 0o640, 1_700_000_000])
      assert.deepEqual([outcome.modifiedS, outcome.modifiedNs], [stat.modifiedS, stat.modifiedNs])
      assert.deepEqual(await names(world), ['f'])
    })
  }

  test(`${name}: an empty file, one before 1970, and one whose mode nobody knows`, async () => {
    await using world = await make()
    const outcomes = await Promise.all([
      world.fileMaker.make(order(world, 'empty', { data: new Uint8Array(0) })),
      world.fileMaker.make(order(world, 'old', { modifiedS: -86_400 })),
      world.fileMaker.make(order(world, 'plain', { mode: undefined, openMode: 0o600 })),
    ])
    assert.deepEqual(outcomes.map(({ kind }) => kind), ['made', 'made', 'made'])
    assert.equal((await world.disk.lstat(`${world.root}/empty`)).sizeBytes, 0)
    assert.equal((await world.disk.lstat(`${world.root}/old`)).modifiedS, -86_400)
    assert.equal((await world.disk.lstat(`${world.root}/plain`)).mode, 0o600)
  })

  test(`${name}: many at once are all made, each with its own content`, async () => {
    await using world = await make()
    const all = Array.from({ length: 100 }, (_, i) => `file-${i}`)
    const outcomes = await Promise.all(all.map((path) => world.fileMaker.make(order(world, path))))
    assert.ok(outcomes.every(({ kind }) => kind === 'made'))
    for (const path of all) assert.equal(await read(world, path), `content of ${path}`)
    assert.deepEqual(await names(world), [...all].sort())
  })

  test(`${name}: memory given with an order stays its owner's`, async () => {
    await using world = await make()
    const memory = new Uint8Array(64).fill(65)
    const data = memory.subarray(16, 24)
    const made = world.fileMaker.make(order(world, 'f', { data }))
    assert.equal((await made).kind, 'made')
    assert.deepEqual([data.length, memory.length, memory[0]], [8, 64, 65])
    assert.equal(await read(world, 'f'), 'AAAAAAAA')
  })

  test(`${name}: where nothing should be, nothing is replaced`, async () => {
    await using world = await make()
    await write(world, 'file', 'of the user')
    await world.disk.makeDirectory(`${world.root}/directory`, 0o755)
    await world.disk.makeSymlink('nowhere', `${world.root}/link`)
    for (const path of ['file', 'directory', 'link']) {
      assertFailed(await world.fileMaker.make(order(world, path)), 'EEXIST')
    }
    assert.equal(await read(world, 'file'), 'of the user')
    assert.equal(await world.disk.readSymlink(`${world.root}/link`), 'nowhere')
    assert.deepEqual(await names(world), ['directory', 'file', 'link'])
  })

  test(`${name}: the file that it should replace is replaced, one that looks otherwise is not`, async () => {
    await using world = await make()
    await write(world, 'f', 'old')
    const { sizeBytes, modifiedS, modifiedNs, mode } = await world.disk.lstat(`${world.root}/f`)
    const replaces = { sizeBytes, modifiedS, modifiedNs, mode }
    const others = [{ sizeBytes: 4 }, { modifiedS: modifiedS - 1 }, { mode: mode ^ 0o100 }]
    for (const other of others) {
      assertFailed(await world.fileMaker.make(order(world, 'f', { replaces: { ...replaces, ...other } })), 'EEXIST')
    }
    assert.equal(await read(world, 'f'), 'old')
    assert.deepEqual(await names(world), ['f'])
    assert.equal((await world.fileMaker.make(order(world, 'f', { replaces }))).kind, 'made')
    assert.equal(await read(world, 'f'), 'content of f')
    assert.deepEqual(await names(world), ['f'])
  })

  test(`${name}: a file that should be replaced and is gone, or is no file, is a failure`, async () => {
    await using world = await make()
    const replaces = { sizeBytes: 0, modifiedS: 0, modifiedNs: 0, mode: 0o644 }
    assertFailed(await world.fileMaker.make(order(world, 'gone', { replaces })), 'ENOENT')
    await world.disk.makeDirectory(`${world.root}/directory`, 0o755)
    assertFailed(await world.fileMaker.make(order(world, 'directory', { replaces })), 'EEXIST')
    assert.deepEqual(await names(world), ['directory'])
  })

  test(`${name}: what has the temporary name is neither written to nor followed`, async () => {
    await using world = await make()
    await write(world, '.syncthing.f.tmp', 'left by somebody')
    await world.disk.makeSymlink(`${world.root}/outside`, `${world.root}/.syncthing.g.tmp`)
    for (const path of ['f', 'g']) assertFailed(await world.fileMaker.make(order(world, path)), 'EEXIST')
    assert.equal(await read(world, '.syncthing.f.tmp'), 'left by somebody')
    assert.deepEqual(await names(world), ['.syncthing.f.tmp', '.syncthing.g.tmp'])
  })

  test(`${name}: nothing is made through a symlink in the place of the directory, or where there is none`, async () => {
    await using world = await make()
    await world.disk.makeDirectory(`${world.root}/elsewhere`, 0o755)
    await world.disk.makeSymlink('elsewhere', `${world.root}/directory`)
    assertFailed(await world.fileMaker.make(order(world, 'directory/f')), 'ELOOP')
    assertFailed(await world.fileMaker.make(order(world, 'missing/f')), 'ENOENT')
    assert.deepEqual(await names(world, '/elsewhere'), [])
  })

  for (const memory of ['shared', 'own'] as const) {
    test(`${name}: a block is written where it belongs when it is the right one, and not at all otherwise (${memory} memory)`, async () => {
      await using world = await make()
      await write(world, 'f', '..........')
      await using file = await world.disk.open(`${world.root}/f`, 'write')
      const room = new Uint8Array(memory === 'shared' ? new SharedArrayBuffer(16) : new ArrayBuffer(16))
      const data = room.subarray(4, 7)
      data.set(Buffer.from('abc'))
      const hash = createHash('sha256').update('abc').digest()
      assert.equal(await world.fileMaker.write(file, { data, positionBytes: 5, hash: hash.map((byte) => byte ^ 1) }), false)
      assert.equal(await read(world, 'f'), '..........')
      assert.equal(await world.fileMaker.write(file, { data, positionBytes: 5, hash }), true)
      assert.equal(await read(world, 'f'), '.....abc..')
      const both = [0, 9].map((positionBytes) => world.fileMaker.write(file, { data, positionBytes, hash }))
      assert.deepEqual(await Promise.all(both), [true, true])
      assert.equal(await read(world, 'f'), 'abc..abc.abc')
      assert.equal(Buffer.from(data).toString(), 'abc')
    })
  }

  test(`${name}: large blocks from its own memory are written beside each other, many at a time, whole pages or not`, async () => {
    await using world = await make()
    await write(world, 'f', '')
    await using file = await world.disk.open(`${world.root}/f`, 'write')
    const sizes = [1_048_576, 262_144, 262_144, 524_288, 300_001, 262_144, 1_048_576, 5]
    const expected = Buffer.concat(sizes.map((sizeBytes, at) => Buffer.alloc(sizeBytes, at + 1)))
    let endBytes = 0
    const blocks = sizes.map((sizeBytes, at) => {
      const data = world.fileMaker.memory(sizeBytes).fill(at + 1)
      const positionBytes = endBytes
      endBytes += sizeBytes
      return { data, positionBytes, hash: createHash('sha256').update(data).digest() }
    })
    const [wrong] = blocks
    assert.equal(await world.fileMaker.write(file, { ...wrong!, hash: new Uint8Array(32) }), false)
    assert.equal((await file.stat()).sizeBytes, 0)
    const written = await Promise.all(blocks.map((block) => world.fileMaker.write(file, block)))
    assert.ok(written.every(Boolean))
    const found = Buffer.alloc(endBytes)
    for (let done = 0; done < endBytes; ) done += await file.read(found.subarray(done), done)
    assert.ok(found.equals(expected))
    await using readable = await world.disk.open(`${world.root}/f`, 'read')
    await assert.rejects(world.fileMaker.write(readable, wrong!), { code: 'EBADF' })
  })

  test(`${name}: a block that cannot be written rejects with the system's code`, async () => {
    await using world = await make()
    await write(world, 'f', '')
    const file = await world.disk.open(`${world.root}/f`, 'read')
    await using _file = file
    const data = new Uint8Array(new SharedArrayBuffer(3))
    const hash = createHash('sha256').update(data).digest()
    await assert.rejects(world.fileMaker.write(file, { data, positionBytes: 0, hash }), { code: 'EBADF' })
  })

  for (const sizeBytes of [10, 3 * 1_024 * 1_024]) {
    test(`${name}: of blocks of ${sizeBytes} bytes those that are there are copied, and the others told of`, async () => {
      await using world = await make()
      const letters = ['a', 'b', 'c'].map((letter) => letter.repeat(sizeBytes))
      await write(world, 'old', letters.join(''))
      await write(world, 'new', '')
      await using from = await world.disk.open(`${world.root}/old`, 'read')
      await using to = await world.disk.open(`${world.root}/new`, 'write')
      const block = (content: string, fromBytes: number, positionBytes: number) => {
        return { fromBytes, positionBytes, sizeBytes, hash: createHash('sha256').update(content).digest() }
      }
      const [a, b, c] = letters
      const copied = await world.fileMaker.copy(from, to, [
        block(c ?? '', 2 * sizeBytes, 0), block(a ?? '', sizeBytes, sizeBytes), block(b ?? '', sizeBytes, sizeBytes),
        block(c ?? '', 2 * sizeBytes + 1, 2 * sizeBytes), block(a ?? '', 9 * sizeBytes, 2 * sizeBytes),
      ])
      assert.deepEqual(copied, [true, false, true, false, false])
      assert.ok(await read(world, 'new') === `${c}${b}`)
      const again = await Promise.all([0, 1, 2].map((at) => world.fileMaker.copy(from, to, [block(letters[at] ?? '', at * sizeBytes, at * sizeBytes)])))
      assert.deepEqual(again, [[true], [true], [true]])
      assert.ok(await read(world, 'new') === letters.join(''))
    })
  }

  test(`${name}: a copy that cannot be written rejects with the system's code`, async () => {
    await using world = await make()
    await write(world, 'f', 'abc')
    await using file = await world.disk.open(`${world.root}/f`, 'read')
    const block = { fromBytes: 0, positionBytes: 0, sizeBytes: 3, hash: createHash('sha256').update('abc').digest() }
    await assert.rejects(world.fileMaker.copy(file, file, [block]), { code: 'EBADF' })
  })

  test(`${name}: a path that is none is refused`, async () => {
    await using world = await make()
    assertFailed(await world.fileMaker.make(order(world, 'f', { path: 'relative' })), 'EINVAL')
    assertFailed(await world.fileMaker.make(order(world, 'f', { temporaryPath: `${world.root}/a\0b` })), 'EINVAL')
    assert.deepEqual(await names(world), [])
  })
}
