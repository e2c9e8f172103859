import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Disk, DiskStat, OpenMode } from '../../src/platform/disk.ts'

/** One disk to try, with an empty directory on it. */
export interface DiskBench extends AsyncDisposable {
  readonly disk: Disk
  readonly root: string
  readonly umask: number
  /** Makes permission bits apply to the disk until disposal. */
  asOrdinaryUser(): Promise<Disposable>
  /** How far a time that is set may be from the time that is found, in today's decades. */
  readonly timeErrorNs: number
  /** Puts a file there whose name is the bytes `61 ff 62`. */
  putInvalidName(directory: string): Promise<void>
  /** Puts a named pipe there. */
  putPipe(path: string): Promise<void>
}

/** What every Disk owes its callers. */
export function diskContract(name: string, make: () => Promise<DiskBench>): void {
  const spec = (text: string, check: (bench: DiskBench, disk: Disk, root: string) => Promise<void>): void => {
    test(`${name}: ${text}`, async () => {
      await using bench = await make()
      using _user = text.endsWith('(unless root)') ? await bench.asOrdinaryUser() : undefined
      await check(bench, bench.disk, bench.root)
    })
  }
  openSpecs(spec)
  contentSpecs(spec)
  directorySpecs(spec)
  renameSpecs(spec)
  symlinkSpecs(spec)
  metadataSpecs(spec)
  odditySpecs(spec)
}

type Spec = (text: string, check: (bench: DiskBench, disk: Disk, root: string) => Promise<void>) => void

function openSpecs(spec: Spec): void {
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

function contentSpecs(spec: Spec): void {
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

function directorySpecs(spec: Spec): void {
  spec('a new directory is empty', async (_, disk, root) => {
    await disk.makeDirectory(`${root}/d`, 0o755)
    assert.deepEqual(await disk.list(`${root}/d`), [])
    assert.equal((await disk.lstat(`${root}/d`)).type, 'directory')
  })
  spec('a directory is created once and needs a parent', async (_, disk, root) => {
    await disk.makeDirectory(`${root}/d`, 0o755)
    await failsWith('EEXIST', disk.makeDirectory(`${root}/d`, 0o755))
    await failsWith('ENOENT', disk.makeDirectory(`${root}/no/d`, 0o755))
  })
  spec('directories are created with their parents, repeatedly', async (_, disk, root) => {
    await disk.makeDirectories(`${root}/a/b/c`, 0o755)
    await put(disk, `${root}/a/b/c/file`, 'x')
    await disk.makeDirectories(`${root}/a/b/c`, 0o755)
    assert.deepEqual(await names(disk, `${root}/a/b/c`), ['file'])
  })
  spec('directories are not created over or below a file', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'x')
    await failsWith('EEXIST', disk.makeDirectories(`${root}/a`, 0o755))
    await failsWith('ENOTDIR', disk.makeDirectories(`${root}/a/b`, 0o755))
  })
  spec('a list has every name once, without dots', async (_, disk, root) => {
    const expected = ['.hidden', 'ä', 'b c', 'new\nline', 'tab\t', '\\back', '😀'].sort()
    for (const name of expected) await put(disk, `${root}/${name}`, '')
    assert.deepEqual(await names(disk, root), expected)
  })
  spec('names keep their normalization form', async (_, disk, root) => {
    await put(disk, `${root}/e\u0301`, 'decomposed')
    await put(disk, `${root}/\u00e9`, 'composed')
    assert.deepEqual(await names(disk, root), ['e\u0301', '\u00e9'])
    assert.equal(await content(disk, `${root}/e\u0301`), 'decomposed')
  })
  spec('only directories are listed', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'x')
    await failsWith('ENOTDIR', disk.list(`${root}/a`))
    await failsWith('ENOENT', disk.list(`${root}/b`))
  })
  spec('a directory without read permission is not listed (unless root)', async (_, disk, root) => {
    await disk.makeDirectory(`${root}/d`, 0o755)
    await put(disk, `${root}/d/a`, 'x')
    await disk.chmod(`${root}/d`, 0)
    await failsWith('EACCES', disk.list(`${root}/d`))
    await failsWith('EACCES', disk.lstat(`${root}/d/a`))
    await disk.chmod(`${root}/d`, 0o555)
    await failsWith('EACCES', disk.removeFile(`${root}/d/a`))
    await disk.chmod(`${root}/d`, 0o755)
  })
  spec('a removal removes the named item and fails for a missing one', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'x')
    await disk.removeFile(`${root}/a`)
    await failsWith('ENOENT', disk.removeFile(`${root}/a`))
    await failsWith('ENOENT', disk.removeDirectory(`${root}/a`))
  })
  spec('a non-empty directory is not removed', async (_, disk, root) => {
    await disk.makeDirectory(`${root}/d`, 0o755)
    await put(disk, `${root}/d/a`, 'x')
    await failsWith('ENOTEMPTY', disk.removeDirectory(`${root}/d`))
    await disk.removeFile(`${root}/d/a`)
    await disk.removeDirectory(`${root}/d`)
    await failsWith('ENOENT', disk.lstat(`${root}/d`))
  })
  spec('a file is not removed as a directory, a directory not as a file', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'x')
    await disk.makeDirectory(`${root}/d`, 0o755)
    await failsWith('ENOTDIR', disk.removeDirectory(`${root}/a`))
    await failsWith(/^(EISDIR|EPERM)$/, disk.removeFile(`${root}/d`))
  })
}

function renameSpecs(spec: Spec): void {
  spec('a rename moves content, identity and nothing else', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'abc')
    const before = await disk.lstat(`${root}/a`)
    await disk.rename(`${root}/a`, `${root}/b`)
    const after = await disk.lstat(`${root}/b`)
    assert.deepEqual(unstamped(after), unstamped(before))
    await failsWith('ENOENT', disk.lstat(`${root}/a`))
  })
  spec('a rename replaces a file', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'new')
    await put(disk, `${root}/b`, 'old')
    await disk.rename(`${root}/a`, `${root}/b`)
    assert.equal(await content(disk, `${root}/b`), 'new')
    assert.deepEqual(await names(disk, root), ['b'])
  })
  spec('a rename replaces a symlink, not its target', async (_, disk, root) => {
    await put(disk, `${root}/precious`, 'precious')
    await disk.makeSymlink('precious', `${root}/link`)
    await put(disk, `${root}/a`, 'new')
    await disk.rename(`${root}/a`, `${root}/link`)
    assert.equal(await content(disk, `${root}/precious`), 'precious')
    assert.equal((await disk.lstat(`${root}/link`)).type, 'file')
  })
  spec('a rename to a new name moves files, symlinks and directories like any other', async (_, disk, root) => {
    await put(disk, `${root}/file`, 'abc')
    await disk.makeSymlink('file', `${root}/link`)
    await disk.makeDirectories(`${root}/d/e`, 0o755)
    const before = await disk.lstat(`${root}/file`)
    for (const name of ['file', 'link', 'd']) await disk.renameNew(`${root}/${name}`, `${root}/new-${name}`)
    assert.deepEqual((await names(disk, root)).toSorted(), ['new-d', 'new-file', 'new-link'])
    assert.deepEqual(unstamped(await disk.lstat(`${root}/new-file`)), unstamped(before))
    assert.equal(await content(disk, `${root}/new-file`), 'abc')
    assert.equal(await disk.readSymlink(`${root}/new-link`), 'file')
    assert.deepEqual(await names(disk, `${root}/new-d`), ['e'])
    await failsWith('ENOENT', disk.renameNew(`${root}/file`, `${root}/elsewhere`))
  })
  spec(
    'a rename to a new name replaces nothing: no file, no symlink, no directory, not even an empty one',
    async (_, disk, root) => {
      await put(disk, `${root}/file`, 'abc')
      await disk.makeSymlink('nowhere', `${root}/link`)
      await disk.makeDirectories(`${root}/d/e`, 0o755)
      await put(disk, `${root}/there-file`, 'precious')
      await disk.makeSymlink('nowhere either', `${root}/there-link`)
      await disk.makeDirectory(`${root}/there-d`, 0o755)
      const before = (await names(disk, root)).toSorted()
      for (const from of ['file', 'link', 'd']) {
        for (const to of ['there-file', 'there-link', 'there-d'])
          await failsWith('EEXIST', disk.renameNew(`${root}/${from}`, `${root}/${to}`))
      }
      assert.deepEqual((await names(disk, root)).toSorted(), before)
      assert.equal(await content(disk, `${root}/there-file`), 'precious')
    },
  )
  spec('chown changes the owner, also of a symlink itself (if root)', async (_, disk, root) => {
    await put(disk, `${root}/file`, 'abc')
    await disk.makeSymlink('file', `${root}/link`)
    await disk.makeDirectory(`${root}/d`, 0o755)
    const ownersOf = async (name: string) => {
      const { userId, groupId } = await disk.lstat(`${root}/${name}`)
      return [userId, groupId]
    }
    const ours = await ownersOf('file')
    await disk.chown(`${root}/file`, ours[0]!, ours[1]!) // no change: everybody may
    await failsWith('ENOENT', disk.chown(`${root}/missing`, ours[0]!, ours[1]!))
    if (process.getuid?.() !== 0) return
    await disk.chown(`${root}/link`, 4_001, 4_002)
    await disk.chown(`${root}/d`, 4_003, 4_294_967_290)
    assert.deepEqual(
      [await ownersOf('link'), await ownersOf('d'), await ownersOf('file')],
      [[4_001, 4_002], [4_003, 4_294_967_290], ours],
    )
    await using file = await disk.open(`${root}/file`, 'write')
    await file.chown(4_005, 4_006)
    assert.deepEqual(await ownersOf('file'), [4_005, 4_006])
  })
  spec(
    'a copy has the content and the mode asked for, leaves the original, and replaces and follows nothing',
    async (_, disk, root) => {
      await put(disk, `${root}/file`, 'abc')
      await disk.chmod(`${root}/file`, 0o444)
      await disk.copyNew(`${root}/file`, `${root}/copy`, 0o640)
      assert.deepEqual(
        [await content(disk, `${root}/copy`), (await disk.lstat(`${root}/copy`)).mode & 0o777],
        ['abc', 0o640],
      )
      assert.deepEqual(
        [await content(disk, `${root}/file`), (await disk.lstat(`${root}/file`)).mode & 0o777],
        ['abc', 0o444],
      )
      await put(disk, `${root}/there`, 'precious')
      await disk.makeSymlink('file', `${root}/link`)
      await disk.makeSymlink('nowhere', `${root}/dangling`)
      await disk.makeDirectory(`${root}/d`, 0o755)
      for (const to of ['there', 'link', 'dangling', 'd'])
        await failsWith('EEXIST', disk.copyNew(`${root}/file`, `${root}/${to}`, 0o644))
      assert.equal(await content(disk, `${root}/there`), 'precious')
      await failsWith('ELOOP', disk.copyNew(`${root}/link`, `${root}/new`, 0o644))
      await failsWith('EISDIR', disk.copyNew(`${root}/d`, `${root}/new`, 0o644))
      await failsWith('ENOENT', disk.copyNew(`${root}/missing`, `${root}/new`, 0o644))
      assert.deepEqual((await names(disk, root)).toSorted(), ['copy', 'd', 'dangling', 'file', 'link', 'there'])
    },
  )
  spec(
    'a clone is a copy where there are clones, and nothing where there are none; it replaces and follows nothing',
    async (_, disk, root) => {
      await put(disk, `${root}/file`, 'abc')
      await put(disk, `${root}/there`, 'precious')
      await disk.makeSymlink('file', `${root}/link`)
      const made = await disk.cloneNew(`${root}/file`, `${root}/clone`, 0o640).then(
        () => true,
        () => false,
      )
      await assert.rejects(disk.cloneNew(`${root}/file`, `${root}/there`, 0o640))
      await assert.rejects(disk.cloneNew(`${root}/link`, `${root}/new`, 0o640))
      assert.equal(await content(disk, `${root}/there`), 'precious')
      assert.deepEqual((await names(disk, root)).toSorted(), [...(made ? ['clone'] : []), 'file', 'link', 'there'])
      if (made) assert.equal(await content(disk, `${root}/clone`), 'abc')
    },
  )
  spec(
    'a second name shows the same file until one of them goes, and replaces and follows nothing',
    async (_, disk, root) => {
      await put(disk, `${root}/file`, 'abc')
      await disk.linkNew(`${root}/file`, `${root}/second`)
      assert.equal((await disk.lstat(`${root}/second`)).inode, (await disk.lstat(`${root}/file`)).inode)
      await put(disk, `${root}/new`, 'new')
      await disk.rename(`${root}/new`, `${root}/file`)
      assert.deepEqual([await content(disk, `${root}/second`), await content(disk, `${root}/file`)], ['abc', 'new'])
      await disk.makeSymlink('file', `${root}/link`)
      await disk.makeDirectory(`${root}/d`, 0o755)
      for (const to of ['second', 'link', 'd']) await failsWith('EEXIST', disk.linkNew(`${root}/file`, `${root}/${to}`))
      await failsWith('ELOOP', disk.linkNew(`${root}/link`, `${root}/third`))
      await failsWith('EISDIR', disk.linkNew(`${root}/d`, `${root}/third`))
      await failsWith('ENOENT', disk.linkNew(`${root}/missing`, `${root}/third`))
      await disk.removeFile(`${root}/second`)
      assert.deepEqual((await names(disk, root)).toSorted(), ['d', 'file', 'link'])
    },
  )
  spec(
    'a directory that is held is where it was found, and what is done below its path is done in it',
    async (_, disk, root) => {
      await disk.makeDirectories(`${root}/a/b`, 0o755)
      await put(disk, `${root}/a/b/f`, 'abc')
      await disk.makeSymlink('a', `${root}/link`)
      await disk.makeSymlink('a/b', `${root}/straight`)
      {
        await using held = await disk.holdDirectory(`${root}/link/b`)
        assert.equal(held.realPath, `${await disk.realPath(root)}/a/b`)
        assert.equal(await content(disk, `${held.path}/f`), 'abc')
        await disk.renameNew(`${held.path}/f`, `${root}/moved`)
        assert.deepEqual(await names(disk, `${root}/a/b`), [])
      }
      for (const path of ['straight', 'moved'])
        await assert.rejects(disk.holdDirectory(`${root}/${path}`), { code: /^(ENOTDIR|ELOOP)$/ })
      await failsWith('ENOENT', disk.holdDirectory(`${root}/missing`))
    },
  )
  spec('a renamed symlink stays a symlink', async (_, disk, root) => {
    await disk.makeSymlink('nowhere', `${root}/link`)
    await disk.rename(`${root}/link`, `${root}/moved`)
    assert.equal(await disk.readSymlink(`${root}/moved`), 'nowhere')
  })
  spec('a directory moves with its contents', async (_, disk, root) => {
    await disk.makeDirectories(`${root}/d/e`, 0o755)
    await put(disk, `${root}/d/e/a`, 'abc')
    await disk.rename(`${root}/d`, `${root}/f`)
    assert.equal(await content(disk, `${root}/f/e/a`), 'abc')
  })
  spec('a rename replaces an empty directory by a directory only', async (_, disk, root) => {
    for (const name of ['empty', 'full', 'other']) await disk.makeDirectory(`${root}/${name}`, 0o755)
    await put(disk, `${root}/full/a`, 'x')
    await put(disk, `${root}/file`, 'x')
    await failsWith(/^(ENOTEMPTY|EEXIST)$/, disk.rename(`${root}/other`, `${root}/full`))
    await failsWith('EISDIR', disk.rename(`${root}/file`, `${root}/empty`))
    await failsWith('ENOTDIR', disk.rename(`${root}/other`, `${root}/file`))
    await disk.rename(`${root}/other`, `${root}/empty`)
    assert.deepEqual(await names(disk, root), ['empty', 'file', 'full'])
  })
  spec('a directory does not move into itself', async (_, disk, root) => {
    await disk.makeDirectories(`${root}/d/e`, 0o755)
    await failsWith('EINVAL', disk.rename(`${root}/d`, `${root}/d/e/d`))
  })
  spec('a rename needs a source and a target directory', async (_, disk, root) => {
    await failsWith('ENOENT', disk.rename(`${root}/a`, `${root}/b`))
    await put(disk, `${root}/a`, 'x')
    await failsWith('ENOENT', disk.rename(`${root}/a`, `${root}/no/b`))
    await disk.rename(`${root}/a`, `${root}/a`)
    assert.equal(await content(disk, `${root}/a`), 'x')
  })
}

function symlinkSpecs(spec: Spec): void {
  spec('a symlink keeps its target, whether it exists or not', async (_, disk, root) => {
    for (const target of ['a', '/no/where', '../..', 'ä b', '.']) {
      await disk.makeSymlink(target, `${root}/link`)
      assert.equal(await disk.readSymlink(`${root}/link`), target)
      assert.equal((await disk.lstat(`${root}/link`)).type, 'symlink')
      await disk.removeFile(`${root}/link`)
    }
  })
  spec('a symlink is only created under a free name', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'x')
    await failsWith('EEXIST', disk.makeSymlink('b', `${root}/a`))
    await failsWith('EINVAL', disk.readSymlink(`${root}/a`))
    await failsWith('ENOENT', disk.readSymlink(`${root}/no`))
  })
  spec('removing a symlink keeps its target', async (_, disk, root) => {
    await disk.makeDirectory(`${root}/d`, 0o755)
    await disk.makeSymlink('d', `${root}/link`)
    await failsWith('ENOTDIR', disk.removeDirectory(`${root}/link`))
    await disk.removeFile(`${root}/link`)
    assert.equal((await disk.lstat(`${root}/d`)).type, 'directory')
  })
  spec('stat follows, lstat does not', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'abc')
    await disk.makeSymlink('a', `${root}/link`)
    await disk.makeSymlink('nowhere', `${root}/dangling`)
    assert.equal((await disk.stat(`${root}/link`)).type, 'file')
    assert.equal((await disk.lstat(`${root}/link`)).type, 'symlink')
    await failsWith('ENOENT', disk.stat(`${root}/dangling`))
  })
  spec('a symlink is followed within a path, and at its end where documented', async (_, disk, root) => {
    await disk.makeDirectory(`${root}/d`, 0o755)
    await disk.makeSymlink('d', `${root}/link`)
    await put(disk, `${root}/link/a`, 'abc')
    assert.equal(await content(disk, `${root}/d/a`), 'abc')
    assert.deepEqual(await names(disk, `${root}/link`), ['a'])
    await disk.syncDirectory(`${root}/link`)
    assert.ok((await disk.space(`${root}/link`)).totalBytes > 0)
  })
  spec('cyclic symlinks fail', async (_, disk, root) => {
    await disk.makeSymlink('b', `${root}/a`)
    await disk.makeSymlink('a', `${root}/b`)
    await failsWith('ELOOP', disk.stat(`${root}/a`))
    await failsWith('ELOOP', disk.realPath(`${root}/a`))
  })
  spec('the real path is the one behind symlinks', async (_, disk, root) => {
    await disk.makeDirectories(`${root}/d/e`, 0o755)
    await disk.makeSymlink('d', `${root}/link`)
    const real = await disk.realPath(`${root}/d/e`)
    assert.equal(await disk.realPath(`${root}/link/../link/e`), real)
    await failsWith('ENOENT', disk.realPath(`${root}/no`))
  })
  spec('chmod and times of a symlink do not change its target', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'x')
    await disk.chmod(`${root}/a`, 0o600)
    await disk.setModified(`${root}/a`, 1_000, 0)
    await disk.makeSymlink('a', `${root}/link`)
    await failsWith('ELOOP', disk.chmod(`${root}/link`, 0o777))
    await disk.setModified(`${root}/link`, 2_000, 0)
    const target = await disk.lstat(`${root}/a`)
    assert.equal(target.mode, 0o600)
    assert.equal(target.modifiedS, 1_000)
    assert.equal((await disk.lstat(`${root}/link`)).modifiedS, 2_000)
  })
}

function metadataSpecs(spec: Spec): void {
  spec('permissions of new items are reduced by the umask', async ({ umask }, disk, root) => {
    await (await disk.open(`${root}/a`, 'create', 0o666)).close()
    await disk.makeDirectory(`${root}/d`, 0o777)
    assert.equal((await disk.lstat(`${root}/a`)).mode, 0o666 & ~umask)
    assert.equal((await disk.lstat(`${root}/d`)).mode, 0o777 & ~umask)
  })
  spec('a private file is private under any umask', async (_, disk, root) => {
    await (await disk.open(`${root}/a`, 'create', 0o600)).close()
    assert.equal((await disk.lstat(`${root}/a`)).mode & 0o077, 0)
  })
  spec('chmod sets exactly the bits it is given, umask or not', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'x')
    await disk.makeDirectory(`${root}/d`, 0o755)
    for (const mode of [0o777, 0o640, 0o000, 0o666]) {
      await disk.chmod(`${root}/a`, mode)
      assert.equal((await disk.lstat(`${root}/a`)).mode, mode)
      await disk.chmod(`${root}/d`, mode)
      assert.equal((await disk.lstat(`${root}/d`)).mode, mode)
    }
    await disk.chmod(`${root}/d`, 0o755)
    await failsWith('ENOENT', disk.chmod(`${root}/no`, 0o644))
  })
  spec('the mode of an open file can be set', async (_, disk, root) => {
    await using file = await disk.open(`${root}/a`, 'create', 0o600)
    await file.chmod(0o755)
    assert.equal((await file.stat()).mode, 0o755)
  })
  spec('a time is read back as set, within the precision of the disk', async ({ timeErrorNs }, disk, root) => {
    await put(disk, `${root}/a`, 'x')
    for (const [s, ns] of [
      [1_700_000_000, 123_456_789],
      [1_700_000_001, 0],
      [1_234_567_890, 1],
      [86_400, 999_999_999],
    ] as const) {
      await disk.setModified(`${root}/a`, s, ns)
      const found = await disk.lstat(`${root}/a`)
      assert.ok(
        Math.abs(foundNs(found, s) - ns) <= timeErrorNs,
        `${s}.${ns} became ${found.modifiedS}.${found.modifiedNs}`,
      )
    }
  })
  spec('a time stays within its second', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'x')
    for (const ns of [0, 1, 500_000_000, 999_999_998, 999_999_999]) {
      for (const s of [0, 1, 1_700_000_000, 2_000_000_000]) {
        await disk.setModified(`${root}/a`, s, ns)
        assert.equal((await disk.lstat(`${root}/a`)).modifiedS, s, `${s}.${ns}`)
      }
    }
  })
  spec('times before 1970 count down in seconds and up in nanoseconds', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'x')
    await disk.setModified(`${root}/a`, -2, 250_000_000)
    const { modifiedS, modifiedNs } = await disk.lstat(`${root}/a`)
    assert.equal(modifiedS, -2)
    assert.ok(Math.abs(modifiedNs - 250_000_000) <= 2, String(modifiedNs))
  })
  spec('directories have times too', async (_, disk, root) => {
    await disk.makeDirectory(`${root}/d`, 0o755)
    await disk.setModified(`${root}/d`, 1_000, 0)
    assert.equal((await disk.lstat(`${root}/d`)).modifiedS, 1_000)
    await put(disk, `${root}/d/a`, 'x')
    assert.notEqual((await disk.lstat(`${root}/d`)).modifiedS, 1_000)
    await failsWith('ENOENT', disk.setModified(`${root}/no`, 1, 0))
  })
  spec('hard links share device and inode, other items do not', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'x')
    await put(disk, `${root}/b`, 'x')
    await disk.makeSymlink('a', `${root}/link`)
    const identity = ({ deviceId, inode }: DiskStat): string => `${deviceId}/${inode}`
    const a = identity(await disk.lstat(`${root}/a`))
    assert.equal(identity(await disk.stat(`${root}/link`)), a)
    assert.notEqual(identity(await disk.lstat(`${root}/b`)), a)
  })
  spec(
    'a change of content, mode or name moves the change stamp, also when the time is put back',
    async (_, disk, root) => {
      await put(disk, `${root}/a`, 'x')
      await disk.setModified(`${root}/a`, 1_000, 0)
      await movesStamp(disk, `${root}/a`, async () => {
        await using file = await disk.open(`${root}/a`, 'write')
        await file.write(Buffer.from('y'), 0)
        await disk.setModified(`${root}/a`, 1_000, 0)
      })
      await movesStamp(disk, `${root}/a`, () => disk.chmod(`${root}/a`, 0o600))
      await movesStamp(disk, `${root}/a`, async () => {
        await disk.rename(`${root}/a`, `${root}/b`)
        await disk.rename(`${root}/b`, `${root}/a`)
      })
      const { changeStamp } = await disk.lstat(`${root}/a`)
      assert.equal((await disk.lstat(`${root}/a`)).changeStamp, changeStamp, 'reading does not move it')
      await using file = await disk.open(`${root}/a`, 'read')
      assert.equal((await file.stat()).changeStamp, changeStamp)
    },
  )
  spec('free space is positive and at most the total', async (_, disk, root) => {
    const { freeBytes, totalBytes } = await disk.space(root)
    assert.ok(freeBytes > 0 && freeBytes <= totalBytes)
    await failsWith('ENOENT', disk.space(`${root}/no`))
  })
}

function odditySpecs(spec: Spec): void {
  spec('a name that is no UTF-8 is listed as invalid, others as valid', async (bench, disk, root) => {
    await put(disk, `${root}/good`, 'x')
    await put(disk, `${root}/\ufffd`, 'a real replacement character')
    await bench.putInvalidName(root)
    const listed = [...(await disk.list(root))].sort((a, b) => (a.name < b.name ? -1 : 1))
    assert.deepEqual(listed, [
      { name: 'a\\xffb', valid: false },
      { name: 'good', valid: true },
      { name: '\ufffd', valid: true },
    ])
    assert.equal(await content(disk, `${root}/\ufffd`), 'a real replacement character')
  })
  spec('a lone surrogate in a name is rejected', async (_, disk, root) => {
    await put(disk, `${root}/\ufffd`, 'x')
    await failsWith('EILSEQ', disk.lstat(`${root}/\ud800`))
    await failsWith('EILSEQ', disk.removeFile(`${root}/\ud800`))
    await failsWith('EILSEQ', disk.makeSymlink('\udfff', `${root}/link`))
  })
  spec('a NUL in a name is rejected', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'x')
    await failsWith('EINVAL', disk.open(`${root}/a\0b`, 'read'))
    await failsWith('EINVAL', disk.rename(`${root}/a`, `${root}/b\0`))
  })
  spec('a relative path is rejected', async (_, disk) => {
    await failsWith('EINVAL', disk.lstat('package.json'))
    await failsWith('EINVAL', disk.list(''))
    await failsWith('EINVAL', disk.makeDirectories('a/b', 0o755))
  })
  spec('the length of names is limited', async (_, disk, root) => {
    await put(disk, `${root}/${'ä'.repeat(127)}`, 'x')
    await failsWith('ENAMETOOLONG', disk.open(`${root}/${'ä'.repeat(128)}`, 'create'))
    await failsWith('ENAMETOOLONG', disk.lstat(`${root}/${'a/'.repeat(3_000)}`))
  })
  spec('names with special characters are ordinary names', async (_, disk, root) => {
    for (const name of ['...', '__proto__', 'constructor', ' ', '-rf', '*', '~']) {
      await put(disk, `${root}/${name}`, name)
      assert.equal(await content(disk, `${root}/${name}`), name)
    }
  })
}

async function failsWith(code: string | RegExp, promise: Promise<unknown>): Promise<void> {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof Error && 'code' in error, String(error))
    if (typeof code === 'string') assert.equal(error.code, code)
    else assert.match(String(error.code), code)
    return true
  })
}

async function put(disk: Disk, path: string, data: string | Uint8Array): Promise<void> {
  await using file = await disk.open(path, 'create', 0o644)
  await file.write(typeof data === 'string' ? Buffer.from(data) : data, 0)
}

async function readFully(
  file: { read(into: Uint8Array, positionBytes: number): Promise<number> },
  into: Uint8Array,
  positionBytes: number,
): Promise<number> {
  let done = 0
  while (done < into.length) {
    const count = await file.read(into.subarray(done), positionBytes + done)
    if (count === 0) break
    done += count
  }
  return done
}

async function bytes(disk: Disk, path: string): Promise<Buffer> {
  await using file = await disk.open(path, 'read')
  const into = Buffer.alloc((await file.stat()).sizeBytes)
  return into.subarray(0, await readFully(file, into, 0))
}

async function content(disk: Disk, path: string): Promise<string> {
  return (await bytes(disk, path)).toString()
}

async function names(disk: Disk, path: string): Promise<string[]> {
  return (await disk.list(path)).map(({ name }) => name).sort()
}

/** Without the change stamp, which a rename changes. */
function unstamped(stat: DiskStat): DiskStat {
  return { ...stat, changeStamp: 0 }
}

/** Repeated: the clock of a file system advances in steps of some milliseconds. */
async function movesStamp(disk: Disk, path: string, change: () => Promise<void>): Promise<void> {
  const before = await disk.lstat(path)
  for (let attempt = 0; attempt < 10_000; attempt++) {
    await change()
    const now = await disk.lstat(path)
    assert.equal(now.modifiedS, before.modifiedS)
    assert.equal(now.inode, before.inode)
    if (now.changeStamp !== before.changeStamp) return
  }
  assert.fail('the change stamp does not move')
}

function foundNs(found: DiskStat, aroundS: number): number {
  return (found.modifiedS - aroundS) * 1e9 + found.modifiedNs
}
