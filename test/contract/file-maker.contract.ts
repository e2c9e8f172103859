import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { baseOf, parentOf } from '../../src/core/paths.ts'
import type { Disk } from '../../src/platform/disk.ts'
import type { FileMaker, FileOrder, FileOutcome } from '../../src/platform/file-maker.ts'

export interface FileMakerPorts extends AsyncDisposable {
  readonly fileMaker: FileMaker
  readonly disk: Disk
  /** A directory by its real path. */
  readonly root: string
}

/** What every FileMaker owes its callers. */
export function fileMakerContract(name: string, make: () => Promise<FileMakerPorts>): void {
  function order(platform: FileMakerPorts, path: string, more: Partial<FileOrder> = {}): FileOrder {
    const full = `${platform.root}/${path}`
    return {
      temporaryPath: `${parentOf(full)}/.syncthing.${baseOf(path)}.tmp`,
      path: full,
      realDirectory: parentOf(full),
      data: Buffer.from(`content of ${path}`),
      hash: undefined,
      openMode: 0o644,
      mode: 0o640,
      modifiedS: 1_700_000_000,
      modifiedNs: 0,
      replaces: undefined,
      sync: true,
      ...more,
    }
  }

  async function names(platform: FileMakerPorts, directory = ''): Promise<readonly string[]> {
    return (await platform.disk.list(`${platform.root}${directory}`)).map((each) => each.name).sort()
  }

  async function read(platform: FileMakerPorts, path: string): Promise<string> {
    await using file = await platform.disk.open(`${platform.root}/${path}`, 'read')
    const into = Buffer.alloc((await file.stat()).sizeBytes)
    for (let done = 0; done < into.length;) done += await file.read(into.subarray(done), done)
    return into.toString()
  }

  async function write(platform: FileMakerPorts, path: string, text: string): Promise<void> {
    await using file = await platform.disk.open(`${platform.root}/${path}`, 'create', 0o644)
    await file.write(Buffer.from(text), 0)
  }

  function assertFailed(outcome: FileOutcome, code: string): void {
    assert.ok(outcome.kind === 'failed', JSON.stringify(outcome))
    assert.equal(outcome.code, code, outcome.message)
  }

  const sha256 = (text: string) => createHash('sha256').update(text).digest()

  test(`${name}: a file is made where its content has the hash, among others, and else nothing is`, async () => {
    await using platform = await make()
    const orders = [
      order(platform, 'right', { hash: sha256('content of right'), mode: undefined }),
      order(platform, 'wrong', { hash: sha256('content of another') }),
      order(platform, 'unknown'),
      order(platform, 'empty', { data: new Uint8Array(0), hash: sha256('') }),
    ]
    const outcomes = await Promise.all(orders.map((each) => platform.fileMaker.make(each)))
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['made', 'different', 'made', 'made'],
    )
    assert.deepEqual(await names(platform), ['empty', 'right', 'unknown'])
    assert.equal(await read(platform, 'right'), 'content of right')
    assert.equal(await read(platform, 'unknown'), 'content of unknown')
  })

  test(`${name}: of many files that are ordered together each has its outcome`, async () => {
    await using platform = await make()
    await write(platform, 'taken', 'as it was')
    const usual = Array.from({ length: 40 }, (_, number) => order(platform, `f${number}`))
    const orders = [
      ...usual,
      order(platform, 'wrong', { hash: sha256('content of another') }),
      order(platform, 'taken'),
      order(platform, 'with \0'),
      order(platform, 'last', { hash: sha256('content of last') }),
    ]
    const outcomes = await platform.fileMaker.makeAll(orders)
    const kinds = outcomes.map(({ kind }) => kind)
    assert.deepEqual(kinds, [...usual.map(() => 'made'), 'different', 'failed', 'failed', 'made'])
    assertFailed(outcomes[41]!, 'EEXIST')
    assert.equal(await read(platform, 'f39'), 'content of f39')
    assert.equal(await read(platform, 'taken'), 'as it was')
    assert.equal((await names(platform)).length, 42)
    assert.deepEqual(await platform.fileMaker.makeAll([]), [])
  })

  for (const sync of [true, false]) {
    test(`${name}: a new file has its content, mode and time, and no temporary name (sync: ${sync})`, async () => {
      await using platform = await make()
      const outcome = await platform.fileMaker.make(order(platform, 'f', { sync, modifiedNs: 123_456_000 }))
      assert.ok(outcome.kind === 'made', JSON.stringify(outcome))
      const stat = await platform.disk.lstat(`${platform.root}/f`)
      assert.equal(await read(platform, 'f'), 'content of f')
      assert.deepEqual([stat.type, stat.mode, stat.modifiedS], ['file', 0o640, 1_700_000_000])
      assert.deepEqual([outcome.modifiedS, outcome.modifiedNs], [stat.modifiedS, stat.modifiedNs])
      assert.deepEqual([outcome.inode, outcome.changeStamp], [Number(stat.inode), stat.changeStamp])
      assert.deepEqual(await names(platform), ['f'])
    })
  }

  test(`${name}: an empty file, one before 1970, and one without a given mode`, async () => {
    await using platform = await make()
    const outcomes = await Promise.all([
      platform.fileMaker.make(order(platform, 'empty', { data: new Uint8Array(0) })),
      platform.fileMaker.make(order(platform, 'old', { modifiedS: -86_400 })),
      platform.fileMaker.make(order(platform, 'plain', { mode: undefined, openMode: 0o600 })),
    ])
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['made', 'made', 'made'],
    )
    assert.equal((await platform.disk.lstat(`${platform.root}/empty`)).sizeBytes, 0)
    assert.equal((await platform.disk.lstat(`${platform.root}/old`)).modifiedS, -86_400)
    assert.equal((await platform.disk.lstat(`${platform.root}/plain`)).mode, 0o600)
  })

  test(`${name}: concurrent orders create all files, each with its own content`, async () => {
    await using platform = await make()
    const all = Array.from({ length: 100 }, (_, i) => `file-${i}`)
    const outcomes = await Promise.all(all.map((path) => platform.fileMaker.make(order(platform, path))))
    assert.ok(outcomes.every(({ kind }) => kind === 'made'))
    for (const path of all) assert.equal(await read(platform, path), `content of ${path}`)
    assert.deepEqual(await names(platform), [...all].sort())
  })

  test(`${name}: the memory of an order stays with the caller`, async () => {
    await using platform = await make()
    const memory = new Uint8Array(64).fill(65)
    const data = memory.subarray(16, 24)
    const made = platform.fileMaker.make(order(platform, 'f', { data }))
    assert.equal((await made).kind, 'made')
    assert.deepEqual([data.length, memory.length, memory[0]], [8, 64, 65])
    assert.equal(await read(platform, 'f'), 'AAAAAAAA')
  })

  test(`${name}: an unexpected existing item is not replaced`, async () => {
    await using platform = await make()
    await write(platform, 'file', 'of the user')
    await platform.disk.makeDirectory(`${platform.root}/directory`, 0o755)
    await platform.disk.makeSymlink('nowhere', `${platform.root}/link`)
    for (const path of ['file', 'directory', 'link']) {
      assertFailed(await platform.fileMaker.make(order(platform, path)), 'EEXIST')
    }
    assert.equal(await read(platform, 'file'), 'of the user')
    assert.equal(await platform.disk.readSymlink(`${platform.root}/link`), 'nowhere')
    assert.deepEqual(await names(platform), ['directory', 'file', 'link'])
  })

  test(`${name}: the expected file is replaced, a changed one is not`, async () => {
    await using platform = await make()
    await write(platform, 'f', 'old')
    const { sizeBytes, modifiedS, modifiedNs, mode } = await platform.disk.lstat(`${platform.root}/f`)
    const replaces = { asidePath: `${platform.root}/aside`, sizeBytes, modifiedS, modifiedNs, mode }
    const others = [{ sizeBytes: 4 }, { modifiedS: modifiedS - 1 }, { mode: mode ^ 0o100 }]
    for (const other of others) {
      assertFailed(
        await platform.fileMaker.make(order(platform, 'f', { replaces: { ...replaces, ...other } })),
        'EEXIST',
      )
    }
    assert.equal(await read(platform, 'f'), 'old')
    assert.deepEqual(await names(platform), ['f'])
    assert.equal((await platform.fileMaker.make(order(platform, 'f', { replaces }))).kind, 'made')
    assert.equal(await read(platform, 'f'), 'content of f')
    assert.deepEqual(await names(platform), ['f'])
  })

  test(`${name}: a missing file, or another type, is not replaced`, async () => {
    await using platform = await make()
    const asidePath = `${platform.root}/aside`
    const replaces = { asidePath, sizeBytes: 0, modifiedS: 0, modifiedNs: 0, mode: 0o644 }
    assertFailed(await platform.fileMaker.make(order(platform, 'gone', { replaces })), 'ENOENT')
    await platform.disk.makeDirectory(`${platform.root}/directory`, 0o755)
    assertFailed(await platform.fileMaker.make(order(platform, 'directory', { replaces })), 'EEXIST')
    assert.deepEqual(await names(platform), ['directory'])
  })

  test(`${name}: an item with the temporary name is neither written nor followed`, async () => {
    await using platform = await make()
    await write(platform, '.syncthing.f.tmp', 'left by somebody')
    await platform.disk.makeSymlink(`${platform.root}/outside`, `${platform.root}/.syncthing.g.tmp`)
    for (const path of ['f', 'g']) assertFailed(await platform.fileMaker.make(order(platform, path)), 'EEXIST')
    assert.equal(await read(platform, '.syncthing.f.tmp'), 'left by somebody')
    assert.deepEqual(await names(platform), ['.syncthing.f.tmp', '.syncthing.g.tmp'])
  })

  test(`${name}: a block that is not written is verified, small and large, in any memory`, async () => {
    await using platform = await make()
    for (const sizeBytes of [0, 1, 70_000, 1_000_000]) {
      const plain = new Uint8Array(sizeBytes + 2).fill(7).subarray(1, sizeBytes + 1)
      const shared = platform.fileMaker.memory(Math.max(1, sizeBytes)).subarray(0, sizeBytes)
      shared.set(plain)
      const hash = createHash('sha256').update(plain).digest()
      for (const data of [plain, shared]) {
        assert.equal(await platform.fileMaker.verify({ data, hash }), true)
        if (sizeBytes > 0) data[sizeBytes - 1] = 8
        assert.equal(await platform.fileMaker.verify({ data, hash }), sizeBytes === 0)
      }
    }
  })

  test(`${name}: nothing is created through a symlink in place of the directory, or in a missing one`, async () => {
    await using platform = await make()
    await platform.disk.makeDirectory(`${platform.root}/elsewhere`, 0o755)
    await platform.disk.makeSymlink('elsewhere', `${platform.root}/directory`)
    assertFailed(await platform.fileMaker.make(order(platform, 'directory/f')), 'ELOOP')
    assertFailed(await platform.fileMaker.make(order(platform, 'missing/f')), 'ENOENT')
    assert.deepEqual(await names(platform, '/elsewhere'), [])
  })

  for (const memory of ['shared', 'own'] as const) {
    test(`${name}: a block is written only if its hash matches (${memory} memory)`, async () => {
      await using platform = await make()
      await write(platform, 'f', '..........')
      await using file = await platform.disk.open(`${platform.root}/f`, 'write')
      const room = new Uint8Array(memory === 'shared' ? new SharedArrayBuffer(16) : new ArrayBuffer(16))
      const data = room.subarray(4, 7)
      data.set(Buffer.from('abc'))
      const hash = createHash('sha256').update('abc').digest()
      assert.equal(
        await platform.fileMaker.write(file, { data, positionBytes: 5, hash: hash.map((byte) => byte ^ 1) }),
        false,
      )
      assert.equal(await read(platform, 'f'), '..........')
      assert.equal(await platform.fileMaker.write(file, { data, positionBytes: 5, hash }), true)
      assert.equal(await read(platform, 'f'), '.....abc..')
      const both = [0, 9].map((positionBytes) => platform.fileMaker.write(file, { data, positionBytes, hash }))
      assert.deepEqual(await Promise.all(both), [true, true])
      assert.equal(await read(platform, 'f'), 'abc..abc.abc')
      assert.equal(Buffer.from(data).toString(), 'abc')
    })
  }

  test(`${name}: large blocks from its own memory are written concurrently, whole pages or not`, async () => {
    await using platform = await make()
    await write(platform, 'f', '')
    await using file = await platform.disk.open(`${platform.root}/f`, 'write')
    const sizes = [1_048_576, 262_144, 262_144, 524_288, 300_001, 262_144, 1_048_576, 5]
    const expected = Buffer.concat(sizes.map((sizeBytes, at) => Buffer.alloc(sizeBytes, at + 1)))
    let endBytes = 0
    const blocks = sizes.map((sizeBytes, at) => {
      const data = platform.fileMaker.memory(sizeBytes).fill(at + 1)
      const positionBytes = endBytes
      endBytes += sizeBytes
      return { data, positionBytes, hash: createHash('sha256').update(data).digest() }
    })
    const [wrong] = blocks
    assert.equal(await platform.fileMaker.write(file, { ...wrong!, hash: new Uint8Array(32) }), false)
    assert.equal((await file.stat()).sizeBytes, 0)
    const written = await Promise.all(blocks.map((block) => platform.fileMaker.write(file, block)))
    assert.ok(written.every(Boolean))
    const found = Buffer.alloc(endBytes)
    for (let done = 0; done < endBytes;) done += await file.read(found.subarray(done), done)
    assert.ok(found.equals(expected))
    await using readable = await platform.disk.open(`${platform.root}/f`, 'read')
    await assert.rejects(platform.fileMaker.write(readable, wrong!), { code: 'EBADF' })
  })

  test(`${name}: a block that cannot be written rejects with the system's code`, async () => {
    await using platform = await make()
    await write(platform, 'f', '')
    const file = await platform.disk.open(`${platform.root}/f`, 'read')
    await using _file = file
    const data = new Uint8Array(new SharedArrayBuffer(3))
    const hash = createHash('sha256').update(data).digest()
    await assert.rejects(platform.fileMaker.write(file, { data, positionBytes: 0, hash }), { code: 'EBADF' })
  })

  for (const sizeBytes of [10, 3 * 1_024 * 1_024]) {
    test(`${name}: of blocks of ${sizeBytes} bytes the matching ones are copied, and the others reported`, async () => {
      await using platform = await make()
      const letters = ['a', 'b', 'c'].map((letter) => letter.repeat(sizeBytes))
      await write(platform, 'old', letters.join(''))
      await write(platform, 'new', '')
      await using from = await platform.disk.open(`${platform.root}/old`, 'read')
      await using to = await platform.disk.open(`${platform.root}/new`, 'write')
      const block = (content: string, fromBytes: number, positionBytes: number) => {
        return { fromBytes, positionBytes, sizeBytes, hash: createHash('sha256').update(content).digest() }
      }
      const [a, b, c] = letters
      const copied = await platform.fileMaker.copy(from, to, [
        block(c ?? '', 2 * sizeBytes, 0),
        block(a ?? '', sizeBytes, sizeBytes),
        block(b ?? '', sizeBytes, sizeBytes),
        block(c ?? '', 2 * sizeBytes + 1, 2 * sizeBytes),
        block(a ?? '', 9 * sizeBytes, 2 * sizeBytes),
      ])
      assert.deepEqual(copied, [true, false, true, false, false])
      assert.ok((await read(platform, 'new')) === `${c}${b}`)
      const again = await Promise.all(
        [0, 1, 2].map((at) =>
          platform.fileMaker.copy(from, to, [block(letters[at] ?? '', at * sizeBytes, at * sizeBytes)]),
        ),
      )
      assert.deepEqual(again, [[true], [true], [true]])
      assert.ok((await read(platform, 'new')) === letters.join(''))
    })
  }

  test(`${name}: a copy that cannot be written rejects with the system's code`, async () => {
    await using platform = await make()
    await write(platform, 'f', 'abc')
    await using file = await platform.disk.open(`${platform.root}/f`, 'read')
    const block = { fromBytes: 0, positionBytes: 0, sizeBytes: 3, hash: createHash('sha256').update('abc').digest() }
    await assert.rejects(platform.fileMaker.copy(file, file, [block]), { code: 'EBADF' })
  })

  test(`${name}: an invalid path fails`, async () => {
    await using platform = await make()
    assertFailed(await platform.fileMaker.make(order(platform, 'f', { path: 'relative' })), 'EINVAL')
    assertFailed(
      await platform.fileMaker.make(order(platform, 'f', { temporaryPath: `${platform.root}/a\0b` })),
      'EINVAL',
    )
    assert.deepEqual(await names(platform), [])
  })
}
