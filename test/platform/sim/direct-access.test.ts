import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SimClock } from '../../../src/platform/sim/clock.ts'
import { SimDisk } from '../../../src/platform/sim/disk.ts'

function newDisk(): SimDisk {
  const disk = new SimDisk(new SimClock())
  disk.direct.makeDirectories('/d')
  return disk
}

function textAt(disk: SimDisk, path: string): string | undefined {
  const item = disk.direct.look(path)
  return item === undefined ? undefined : Buffer.from(item.content).toString()
}

test('direct changes are durable, and unsynced data of programs stays unsynced', async () => {
  const disk = newDisk()
  const program = await disk.open('/d/program', 'create')
  await program.write(Buffer.from('unsynced'), 0)
  disk.direct.write('/d/new/person', Buffer.from('kept'))
  disk.direct.rename('/d/new/person', '/d/moved')
  disk.crash('nothing')
  assert.equal(textAt(disk, '/d/moved'), 'kept')
  assert.equal(disk.direct.look('/d/new/person'), undefined)
  assert.equal(disk.direct.look('/d/program'), undefined)
})

test('a direct removal of a directory is recursive and durable', () => {
  const disk = newDisk()
  disk.direct.write('/d/a/b/c', Buffer.from('x'))
  disk.direct.makeSymlink('nowhere', '/d/a/link')
  disk.direct.remove('/d/a')
  disk.crash('nothing')
  assert.deepEqual([...disk.direct.tree('/d').keys()], [])
})

test('direct access ignores faults and notifies subscribers', () => {
  const disk = newDisk()
  const seen: string[] = []
  disk.subscribe(({ kind, path }) => seen.push(`${kind} ${path}`))
  disk.fail({ call: 'any', code: 'EIO', times: 1_000 })
  disk.direct.write('/d/a', Buffer.from('one'))
  disk.direct.write('/d/a', Buffer.from('four'))
  disk.direct.chmod('/d/a', 0o600)
  disk.direct.setModified('/d/a', 5_000)
  disk.direct.rename('/d/a', '/d/b')
  assert.deepEqual(seen, [...Array.from({ length: 4 }, () => 'changed /d/a'), 'removed /d/a', 'changed /d/b'])
  assert.equal(textAt(disk, '/d/b'), 'four')
  assert.equal(disk.direct.look('/d/b')?.mode, 0o600)
})

test('all items below a directory are listed, with types, targets and contents', () => {
  const disk = newDisk()
  disk.direct.write('/d/x/file', Buffer.from('1'))
  disk.direct.makeSymlink('target', '/d/link')
  const items = [...disk.direct.tree('/d')].map(([path, { type, target }]) => `${path} ${type} ${target}`)
  assert.deepEqual(items, ['link symlink target', 'x directory ', 'x/file file '])
  assert.throws(() => disk.direct.write('/d/x', Buffer.from('no')), /directory/)
})
