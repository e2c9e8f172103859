import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { SharedDirectories } from '../../../../src/platform/node/disk/place-of-file.ts'

const NOT_LINUX = process.platform !== 'linux' && 'only Linux has paths of open directories'

function orderIn(realDirectory: string) {
  return { path: `${realDirectory}/a`, temporaryPath: `${realDirectory}/.a.tmp`, realDirectory }
}

const openCount = () => readdirSync('/proc/self/fd').length

test('a directory is opened once for some files, and closed with the last of them', { skip: NOT_LINUX }, () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'twinfold-shared-')))
  try {
    for (const name of ['one', 'other']) mkdirSync(join(root, name))
    const before = openCount()
    const directories = new SharedDirectories(2)
    const [first, second, third] = Array.from({ length: 3 }, () => directories.placeOf(orderIn(join(root, 'one'))))
    const other = directories.placeOf(orderIn(join(root, 'other')))
    assert.equal(dirname(first!.path), dirname(second!.temporaryPath))
    assert.notEqual(dirname(second!.path), dirname(third!.path), 'for more files than the limit')
    assert.equal(openCount(), before + 3)
    first![Symbol.dispose]()
    assert.equal(openCount(), before + 3, 'another file holds it')
    for (const place of [second!, third!, other]) place[Symbol.dispose]()
    assert.equal(openCount(), before)
    using again = directories.placeOf(orderIn(join(root, 'one')))
    assert.ok(again.path !== '' && openCount() === before + 1)
  } finally {
    rmSync(root, { recursive: true })
  }
})

test('after a failure a directory is opened again, and one that is gone is not used on', { skip: NOT_LINUX }, () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'twinfold-shared-')))
  try {
    mkdirSync(join(root, 'one'))
    const before = openCount()
    const directories = new SharedDirectories(8)
    const place = directories.placeOf(orderIn(join(root, 'one')))
    renameSync(join(root, 'one'), join(root, 'gone'))
    directories.forget(join(root, 'one'))
    assert.throws(() => directories.placeOf(orderIn(join(root, 'one'))), { code: 'ENOENT' })
    place[Symbol.dispose]()
    assert.equal(openCount(), before)
  } finally {
    rmSync(root, { recursive: true })
  }
})
