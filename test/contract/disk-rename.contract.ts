import assert from 'node:assert/strict'
import { content, failsWith, names, put, unstamped, type Spec } from './disk-bench.ts'

export function renameSpecs(spec: Spec): void {
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
  spec('a rename replaces a file that may not be written', async (_, disk, root) => {
    await put(disk, `${root}/new`, 'new')
    await put(disk, `${root}/old`, 'old')
    await disk.chmod(`${root}/old`, 0o444)
    await disk.rename(`${root}/new`, `${root}/old`)
    assert.equal(await content(disk, `${root}/old`), 'new')
    assert.deepEqual(await names(disk, root), ['old'])
  })
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

export function exchangeSpecs(spec: Spec): void {
  spec('an exchange gives each item the name of the other, or changes nothing', async ({ exchanges }, disk, root) => {
    await put(disk, `${root}/a`, 'new')
    await put(disk, `${root}/b`, 'old')
    const [a, b] = [await disk.lstat(`${root}/a`), await disk.lstat(`${root}/b`)]
    assert.equal(await disk.exchange(`${root}/a`, `${root}/b`), exchanges)
    const [first, second] = exchanges ? [b, a] : [a, b]
    assert.deepEqual(unstamped(await disk.lstat(`${root}/a`)), unstamped(first))
    assert.deepEqual(unstamped(await disk.lstat(`${root}/b`)), unstamped(second))
    assert.equal(await content(disk, `${root}/b`), exchanges ? 'new' : 'old')
    assert.deepEqual(await names(disk, root), ['a', 'b'])
  })
  spec('an exchange moves symlinks and directories, too, and follows none', async ({ exchanges }, disk, root) => {
    if (!exchanges) return assert.equal(await disk.exchange(`${root}/x`, `${root}/y`), false)
    await put(disk, `${root}/file`, 'x')
    await disk.makeSymlink('file', `${root}/link`)
    await disk.makeDirectories(`${root}/d/inner`, 0o755)
    assert.equal(await disk.exchange(`${root}/file`, `${root}/link`), true)
    assert.equal(await disk.readSymlink(`${root}/file`), 'file')
    assert.equal(await disk.exchange(`${root}/d`, `${root}/link`), true)
    assert.deepEqual(await names(disk, `${root}/link`), ['inner'])
    assert.equal(await content(disk, `${root}/d`), 'x')
  })
  spec('an exchange with a missing item fails and changes nothing', async ({ exchanges }, disk, root) => {
    await put(disk, `${root}/a`, 'x')
    if (exchanges) await failsWith('ENOENT', disk.exchange(`${root}/a`, `${root}/no`))
    if (exchanges) await failsWith('ENOENT', disk.exchange(`${root}/no`, `${root}/a`))
    await failsWith('EINVAL', disk.exchange(`${root}/a`, 'relative'))
    assert.deepEqual(await names(disk, root), ['a'])
  })
}
