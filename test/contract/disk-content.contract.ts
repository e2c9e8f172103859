import assert from 'node:assert/strict'
import type { OpenMode } from '../../src/platform/disk.ts'
import { bytes, content, failsWith, put, readFully, type Spec } from './disk-bench.ts'

export function openSpecs(spec: Spec): void {
  spec('create creates an empty file', async (_, disk, root) => {
    await put(disk, `${root}/a`, '')
    assert.equal((await disk.lstat(`${root}/a`)).sizeBytes, 0)
  })
  spec('create fails for an existing file', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'precious')
    await failsWith('EEXIST', disk.open(`${root}/a`, 'create'))
    assert.equal(await content(disk, `${root}/a`), 'precious')
  })
  spec('create fails for a directory', async (_, disk, root) => {
    await failsWith('EEXIST', disk.open(root, 'create'))
  })
  spec('create fails for a dangling symlink and does not create its target', async (_, disk, root) => {
    await disk.makeSymlink('target', `${root}/link`)
    await failsWith('EEXIST', disk.open(`${root}/link`, 'create'))
    await failsWith('ENOENT', disk.lstat(`${root}/target`))
  })
  spec('of ten concurrent creates of one name exactly one succeeds', async (_, disk, root) => {
    const tries = Array.from({ length: 10 }, () => disk.open(`${root}/a`, 'create'))
    const results = await Promise.allSettled(tries)
    for (const result of results) if (result.status === 'fulfilled') await result.value.close()
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
  })
  spec('create in a missing directory fails', async (_, disk, root) => {
    await failsWith('ENOENT', disk.open(`${root}/no/a`, 'create'))
  })
  spec('a file as a path component fails', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'x')
    await failsWith('ENOTDIR', disk.open(`${root}/a/b`, 'create'))
    await failsWith('ENOTDIR', disk.lstat(`${root}/a/b`))
    await failsWith('ENOTDIR', disk.makeDirectory(`${root}/a/b`, 0o755))
  })
  for (const mode of ['read', 'write'] as const satisfies readonly OpenMode[]) {
    spec(`${mode} fails for a missing file`, async (_, disk, root) => {
      await failsWith('ENOENT', disk.open(`${root}/a`, mode))
      await failsWith('ENOENT', disk.lstat(`${root}/a`))
    })
    spec(`${mode} refuses a directory`, async (_, disk, root) => {
      await failsWith('EISDIR', disk.open(root, mode))
    })
    spec(`${mode} refuses a symlink, even to a file`, async (_, disk, root) => {
      await put(disk, `${root}/a`, 'x')
      await disk.makeSymlink(`${root}/a`, `${root}/link`)
      await failsWith('ELOOP', disk.open(`${root}/link`, mode))
    })
    spec(`${mode} neither blocks on a pipe nor opens it`, async (bench, disk, root) => {
      await bench.putPipe(`${root}/pipe`)
      await assert.rejects(disk.open(`${root}/pipe`, mode))
      assert.equal((await disk.lstat(`${root}/pipe`)).type, 'other')
    })
  }
  spec('a path without read permission fails (unless root)', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'x')
    await disk.chmod(`${root}/a`, 0)
    await failsWith('EACCES', disk.open(`${root}/a`, 'read'))
    await disk.chmod(`${root}/a`, 0o400)
    await failsWith('EACCES', disk.open(`${root}/a`, 'write'))
  })
}

export function contentSpecs(spec: Spec): void {
  spec('written data is read back, at any position', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'hello world')
    await using file = await disk.open(`${root}/a`, 'write')
    await file.write(Buffer.from('W'), 6)
    const into = Buffer.alloc(5)
    assert.equal(await readFully(file, into, 6), 5)
    assert.equal(into.toString(), 'World')
  })
  spec('a read at and beyond the end returns 0', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'abc')
    await using file = await disk.open(`${root}/a`, 'read')
    assert.equal(await file.read(Buffer.alloc(10), 3), 0)
    assert.equal(await file.read(Buffer.alloc(10), 1_000_000), 0)
  })
  spec('a read across the end is short and keeps the rest of the buffer', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'abc')
    await using file = await disk.open(`${root}/a`, 'read')
    const into = Buffer.alloc(5, '.')
    assert.equal(await readFully(file, into, 1), 2)
    assert.equal(into.toString(), 'bc...')
  })
  spec('large content is read back completely', async (_, disk, root) => {
    const data = Buffer.alloc(1_000_003, (Math.PI * 1e9).toString(36))
    await put(disk, `${root}/a`, data)
    assert.ok((await bytes(disk, `${root}/a`)).equals(data))
  })
  spec('a write beyond the end leaves zeros between', async (_, disk, root) => {
    await using file = await disk.open(`${root}/a`, 'create')
    await file.write(Buffer.from('x'), 10_000)
    const found = await bytes(disk, `${root}/a`)
    assert.equal(found.length, 10_001)
    assert.ok(found.subarray(0, 10_000).every((byte) => byte === 0))
  })
  spec('a file can be far larger than the disk while it is empty', async (_, disk, root) => {
    await using file = await disk.open(`${root}/a`, 'create')
    await file.truncate(2 ** 42)
    assert.equal((await file.stat()).sizeBytes, 2 ** 42)
    const into = Buffer.alloc(4, 'x')
    await readFully(file, into, 2 ** 41)
    assert.deepEqual([...into], [0, 0, 0, 0])
  })
  spec('truncated data does not come back', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'secret secret')
    await using file = await disk.open(`${root}/a`, 'write')
    await file.truncate(3)
    await file.truncate(6)
    assert.equal((await bytes(disk, `${root}/a`)).toString('latin1'), 'sec\0\0\0')
  })
  spec('a file open for reading cannot be written', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'abc')
    await using file = await disk.open(`${root}/a`, 'read')
    await failsWith('EBADF', file.write(Buffer.from('x'), 0))
    assert.equal(await content(disk, `${root}/a`), 'abc')
  })
  spec('an open file stays usable after its removal', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'abc')
    await using file = await disk.open(`${root}/a`, 'read')
    await disk.removeFile(`${root}/a`)
    await put(disk, `${root}/a`, 'another')
    const into = Buffer.alloc(3)
    await readFully(file, into, 0)
    assert.equal(into.toString(), 'abc')
  })
  spec('calls on a closed file fail, and a second close does nothing', async (_, disk, root) => {
    const file = await disk.open(`${root}/a`, 'create')
    await file.close()
    await file.close()
    await failsWith('EBADF', file.read(Buffer.alloc(1), 0))
    await failsWith('EBADF', file.write(Buffer.alloc(1), 0))
    await failsWith('EBADF', file.sync())
    await failsWith('EBADF', file.stat())
  })
  spec('content and directory can be synced', async (_, disk, root) => {
    await using file = await disk.open(`${root}/a`, 'create')
    await file.write(Buffer.from('x'), 0)
    await file.sync()
    await disk.syncDirectory(root)
    await failsWith('ENOENT', disk.syncDirectory(`${root}/no`))
    await failsWith('ENOTDIR', disk.syncDirectory(`${root}/a`))
  })
}
