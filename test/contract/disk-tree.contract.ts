import assert from 'node:assert/strict'
import { content, failsWith, names, put, type Spec } from './disk-bench.ts'

export function directorySpecs(spec: Spec): void {
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
  spec('a directory is read together with items in it', async (_, disk, root) => {
    await disk.makeDirectories(`${root}/d/inner`, 0o755)
    await put(disk, `${root}/d/file`, 'abc')
    const { directory, items } = await disk.statDirectory(`${root}/d`, ['inner', 'no', 'file', 'file/below'])
    assert.deepEqual(directory, await disk.stat(`${root}/d`))
    assert.deepEqual(
      items.map((item) => item?.type),
      ['directory', undefined, 'file', undefined],
    )
    assert.deepEqual(items[2], await disk.lstat(`${root}/d/file`))
    assert.equal((await disk.statDirectory(`${root}/d/file`, ['no'])).directory.type, 'file')
    await failsWith('ENOENT', disk.statDirectory(`${root}/none`, ['no']))
  })
  spec('a directory that was read a moment ago is read again as it is now', async (_, disk, root) => {
    await disk.makeDirectory(`${root}/d`, 0o755)
    const read = () => disk.statDirectory(`${root}/d`, ['file'])
    assert.equal((await read()).items[0], undefined)
    await put(disk, `${root}/d/file`, 'abc')
    const { directory, items } = await read()
    assert.deepEqual([directory, items[0]], [await disk.stat(`${root}/d`), await disk.lstat(`${root}/d/file`)])
    await disk.removeFile(`${root}/d/file`)
    await disk.removeDirectory(`${root}/d`)
    await failsWith('ENOENT', read())
    await put(disk, `${root}/d`, 'abc')
    assert.equal((await read()).directory.type, 'file')
  })
  spec(
    'a directory behind a symlink is read together with items in it, which are not followed',
    async (_, disk, root) => {
      await disk.makeDirectories(`${root}/d`, 0o755)
      await put(disk, `${root}/d/file`, 'abc')
      await disk.makeSymlink('file', `${root}/d/link`)
      await disk.makeSymlink('d', `${root}/to-d`)
      const { directory, items } = await disk.statDirectory(`${root}/to-d`, ['file', 'link'])
      assert.deepEqual(directory, await disk.stat(`${root}/d`))
      assert.deepEqual(
        items.map((item) => item?.type),
        ['file', 'symlink'],
      )
    },
  )
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

export function symlinkSpecs(spec: Spec): void {
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
    assert.equal(real, `${await disk.realPath(root)}/d/e`, 'with slashes, also on Windows')
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
