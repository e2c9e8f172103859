import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Disk } from '../../src/platform/disk.ts'

export interface LockBench extends AsyncDisposable {
  readonly disk: Disk
  readonly root: string
}

/** What every `Disk.lock` owes its callers. */
export function lockContract(name: string, make: () => Promise<LockBench>): void {
  const spec = (text: string, check: (disk: Disk, path: string) => Promise<void>): void => {
    test(`${name}: ${text}`, async () => {
      await using bench = await make()
      await check(bench.disk, `${bench.root}/syncthing.lock`)
    })
  }

  spec('the first lock succeeds, the second returns undefined', async (disk, path) => {
    await using first = await disk.lock(path)
    assert.ok(first !== undefined)
    assert.equal(await disk.lock(path), undefined)
    assert.equal(await disk.lock(path), undefined)
  })

  spec('a released lock can be acquired again', async (disk, path) => {
    for (let round = 0; round < 5; round++) {
      await using lock = await disk.lock(path)
      assert.ok(lock !== undefined, `round ${round}`)
    }
  })

  spec('a second release does not release the next holder', async (disk, path) => {
    const first = await disk.lock(path)
    assert.ok(first !== undefined)
    await first[Symbol.asyncDispose]()
    await using second = await disk.lock(path)
    assert.ok(second !== undefined)
    await first[Symbol.asyncDispose]()
    assert.equal(await disk.lock(path), undefined)
    assert.equal((await disk.lstat(path)).type, 'file')
  })

  spec('the file is private while locked and removed after', async (disk, path) => {
    {
      await using lock = await disk.lock(path)
      assert.ok(lock !== undefined)
      assert.equal((await disk.lstat(path)).mode, 0o600)
    }
    await assert.rejects(disk.lstat(path), { code: 'ENOENT' })
  })

  spec('a leftover file does not block, its content is kept', async (disk, path) => {
    {
      await using file = await disk.open(path, 'create', 0o600)
      await file.write(Buffer.from('left behind'), 0)
    }
    await using lock = await disk.lock(path)
    assert.ok(lock !== undefined)
    assert.equal((await disk.lstat(path)).sizeBytes, 11)
  })

  spec('with leaveFile the file stays, and the lock is released', async (disk, path) => {
    for (let round = 0; round < 3; round++) {
      await using lock = await disk.lock(path, { leaveFile: true })
      assert.ok(lock !== undefined, `round ${round}`)
      assert.equal(await disk.lock(path), undefined)
    }
    assert.equal((await disk.lstat(path)).type, 'file')
  })

  spec('of twenty concurrent attempts exactly one succeeds', async (disk, path) => {
    const locks = await Promise.all(Array.from({ length: 20 }, () => disk.lock(path)))
    const got = locks.filter((lock) => lock !== undefined)
    assert.equal(got.length, 1)
    await got[0]?.[Symbol.asyncDispose]()
  })

  spec('two files are two locks', async (disk, path) => {
    await using one = await disk.lock(path)
    await using other = await disk.lock(`${path}2`)
    assert.ok(one !== undefined && other !== undefined)
  })

  spec('a symlink, a directory or a missing directory is an error, not a lock', async (disk, path) => {
    await assert.rejects(disk.lock(`${path}/no/file`), { code: 'ENOENT' })
    await disk.makeSymlink('elsewhere', path)
    await assert.rejects(disk.lock(path), { code: 'ELOOP' })
    await assert.rejects(disk.lstat(path.replace('syncthing.lock', 'elsewhere')), { code: 'ENOENT' })
    await disk.makeDirectory(`${path}2`, 0o755)
    await assert.rejects(disk.lock(`${path}2`), { code: 'EISDIR' })
  })
}
