import assert from 'node:assert/strict'
import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Parents } from '../../../src/platform/files/parents.ts'
import { anchoredDisk } from '../../../src/platform/files/anchored-disk.ts'
import type { Disk } from '../../../src/platform/disk.ts'
import { nodeDisk } from '../../../src/platform/node/disk/disk.ts'
import { scratchDirectory } from '../../support/scratch.ts'

/** The directories of a root on a real disk that counts calls of realPath. */
function parentsOf(root: string): { readonly parents: Parents; readonly scanned: string[]; looks: () => number } {
  let looks = 0
  const disk: Disk = {
    ...nodeDisk,
    realPath: (path) => {
      looks++
      return nodeDisk.realPath(path)
    },
  }
  const scanned: string[] = []
  return {
    parents: new Parents({ disk: anchoredDisk(disk, root), root, onMade: (name) => void scanned.push(name) }),
    scanned,
    looks: () => looks,
  }
}

test('an open file proves that the directories above it are real', async () => {
  using scratch = scratchDirectory()
  mkdirSync(join(scratch.path, 'a', 'b'), { recursive: true })
  const { parents } = parentsOf(scratch.path)
  await using file = await nodeDisk.open(join(scratch.path, 'a', 'b', 'temporary'), 'create')
  await parents.checkOpen('a/b/temporary', file)

  renameSync(join(scratch.path, 'a'), join(scratch.path, 'moved'))
  await assert.rejects(parents.checkOpen('a/b/temporary', file), { code: 'item-failed', message: /does not exist/ })
  symlinkSync('moved', join(scratch.path, 'a'))
  await assert.rejects(parents.checkOpen('a/b/temporary', file), {
    code: 'item-failed',
    message: /traverses symlink: a$/,
  })
})

test('without a real path of the open file the directories are checked', async () => {
  using scratch = scratchDirectory()
  mkdirSync(join(scratch.path, 'a'))
  symlinkSync('a', join(scratch.path, 'link'))
  const { parents } = parentsOf(scratch.path)
  await parents.checkOpen('a/temporary', {})
  await parents.checkOpen('a/temporary', { realPath: async () => undefined })
  await assert.rejects(parents.checkOpen('link/temporary', {}), { code: 'item-failed' })
  await assert.rejects(parents.checkOpen('none/temporary', {}), { code: 'item-failed' })
})

test('many files of one directory share one check', async () => {
  using scratch = scratchDirectory()
  mkdirSync(join(scratch.path, 'a'))
  const { parents, looks } = parentsOf(scratch.path)
  await Promise.all(Array.from({ length: 20 }, (_, number) => parents.ensure(`a/${number}`)))
  assert.ok(looks() <= 2, `${looks()} looks at the root and the directory`)
})

test('many files of a missing directory create it once', async () => {
  using scratch = scratchDirectory()
  const { parents, scanned } = parentsOf(scratch.path)
  await Promise.all(Array.from({ length: 20 }, (_, number) => parents.ensure(`a/b/${number}`)))
  assert.ok(existsSync(join(scratch.path, 'a', 'b')))
  assert.deepEqual(new Set(scanned), new Set(['a', 'a/b']))
})

test('all callers get the error of a shared check', async () => {
  using scratch = scratchDirectory()
  using outside = scratchDirectory()
  symlinkSync(outside.path, join(scratch.path, 'link'))
  const { parents } = parentsOf(scratch.path)
  const all = await Promise.allSettled(Array.from({ length: 20 }, (_, number) => parents.ensure(`link/${number}`)))
  assert.ok(all.every(({ status }) => status === 'rejected'))
})

test('the directories above a deep path are checked without a look at each of them', async () => {
  using scratch = scratchDirectory()
  const deep = Array.from({ length: 600 }, () => 'd').join('/')
  mkdirSync(join(scratch.path, deep), { recursive: true })
  const { parents, looks } = parentsOf(scratch.path)
  await parents.check(`${deep}/file`)
  assert.equal(looks(), 1, 'only the root itself')
  await assert.rejects(parents.check(`${deep}/missing/file`), {
    code: 'item-failed',
    message: /missing" does not exist/,
  })
  renameSync(join(scratch.path, 'd'), join(scratch.path, 'moved'))
  symlinkSync('moved', join(scratch.path, 'd'))
  await assert.rejects(parents.check(`${deep}/file`), { code: 'item-failed', message: /traverses symlink: d$/ })
})

test('directories that are no items are created without looking for them', async () => {
  using scratch = scratchDirectory()
  const { parents, scanned, looks } = parentsOf(scratch.path)
  await Promise.all([parents.ensureMade('A/BC/one'), parents.ensureMade('A/BC/two'), parents.ensureMade('A/DE/three')])
  assert.ok(existsSync(join(scratch.path, 'A/BC')) && existsSync(join(scratch.path, 'A/DE')))
  assert.deepEqual(new Set(scanned), new Set(['A', 'A/BC', 'A/DE']))
  await parents.ensureMade('A/BC/four')
  await parents.ensureMade('five')
  assert.ok(looks() <= 2, `${looks()} looks, of the root only`)
})

test('no directory is created through a symlink or below a file', async () => {
  using scratch = scratchDirectory()
  mkdirSync(join(scratch.path, 'outside'))
  mkdirSync(join(scratch.path, 'root'))
  symlinkSync('../outside', join(scratch.path, 'root/A'))
  writeFileSync(join(scratch.path, 'root/F'), '')
  const { parents } = parentsOf(join(scratch.path, 'root'))
  await assert.rejects(parents.ensureMade('A/BC/one'), { code: 'item-failed', message: /traverses symlink: A$/ })
  await assert.rejects(parents.ensureMade('F/BC/one'), { code: 'item-failed', message: /not a directory: F$/ })
  assert.equal(existsSync(join(scratch.path, 'outside/BC')), false)
})
