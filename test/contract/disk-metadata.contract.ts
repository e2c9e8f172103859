import assert from 'node:assert/strict'
import type { DiskStat } from '../../src/platform/disk.ts'
import { content, failsWith, foundNs, movesStamp, put, type Spec } from './disk-bench.ts'

export function metadataSpecs(spec: Spec): void {
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
  spec('what is hidden is found, read, renamed and removed as before', async (_, disk, root) => {
    await put(disk, `${root}/a`, 'x')
    await disk.makeDirectory(`${root}/d`, 0o755)
    const { modifiedS, modifiedNs, sizeBytes } = await disk.lstat(`${root}/a`)
    for (const name of ['a', 'd']) await disk.hide(`${root}/${name}`)
    const { modifiedS: s, modifiedNs: ns, sizeBytes: size } = await disk.lstat(`${root}/a`)
    assert.deepEqual([s, ns, size], [modifiedS, modifiedNs, sizeBytes])
    assert.deepEqual((await disk.list(root)).map(({ name }) => name).sort(), ['a', 'd'])
    await put(disk, `${root}/b`, 'new')
    await disk.rename(`${root}/b`, `${root}/a`)
    assert.equal(await content(disk, `${root}/a`), 'new')
    await disk.hide(`${root}/a`)
    await disk.rename(`${root}/a`, `${root}/d/a`)
    await disk.removeFile(`${root}/d/a`)
    await disk.removeDirectory(`${root}/d`)
    assert.deepEqual(await disk.list(root), [])
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

export function odditySpecs(spec: Spec): void {
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
