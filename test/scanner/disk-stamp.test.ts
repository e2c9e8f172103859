/** Other content with the same size and modification time, as unpacked archives and `cp -p` leave it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diskStampOf, hasOtherStamp } from '../../src/core/records/disk-stamp.ts'
import { SimFolder } from './sim-folder.ts'

/** A scanned folder with one file. */
async function scanned(): Promise<SimFolder> {
  const folder = new SimFolder()
  folder.put('a', 'first')
  await folder.scan()
  return folder
}

/** Writes other content and sets the modification time back. */
async function replaceQuietly(folder: SimFolder, content: string): Promise<void> {
  const { modifiedS, modifiedNs } = await folder.disk.lstat('/f/a')
  folder.disk.direct.write('/f/a', Buffer.from(content))
  await folder.disk.setModified('/f/a', modifiedS, modifiedNs)
}

test('other content with the same size and modification time is a change', async () => {
  const folder = await scanned()
  const before = folder.index.records.get('a')!
  await replaceQuietly(folder, 'other')
  assert.equal((await folder.scan()).changed, 1)
  const after = folder.index.records.get('a')!
  assert.notEqual(Buffer.compare(after.blocksHash!, before.blocksHash!), 0)
  assert.notDeepEqual(after.version, before.version)
  assert.equal(after.modifiedS, before.modifiedS)
  assert.equal((await folder.scan()).bytesHashed, 0)
})

test('another file that is renamed over it, with the same size and modification time, is a change', async () => {
  const folder = await scanned()
  const { modifiedS, modifiedNs } = await folder.disk.lstat('/f/a')
  folder.disk.put('/elsewhere', 'other')
  await folder.disk.setModified('/elsewhere', modifiedS, modifiedNs)
  await folder.disk.rename('/elsewhere', '/f/a')
  assert.equal((await folder.scan()).changed, 1)
})

test('the same content with another stamp is hashed once and not announced', async () => {
  const folder = await scanned()
  const before = folder.index.records.get('a')!
  const { mode } = await folder.disk.lstat('/f/a')
  await folder.disk.chmod('/f/a', 0o600)
  await folder.disk.chmod('/f/a', mode)
  const { changed, bytesHashed } = await folder.scan()
  assert.deepEqual({ changed, bytesHashed }, { changed: 0, bytesHashed: 5 })
  const { diskStamp, ...after } = folder.index.records.get('a')!
  const { diskStamp: stampBefore, ...rest } = before
  assert.deepEqual(after, rest)
  assert.notEqual(diskStamp, stampBefore)
  assert.equal((await folder.scan()).bytesHashed, 0)
})

test('a record without a stamp gets one without hashing, and then a change is noticed', async () => {
  const folder = await scanned()
  const { diskStamp: _, ...old } = folder.index.records.get('a')!
  folder.index.records.set('a', old)
  const { changed, bytesHashed } = await folder.scan()
  assert.deepEqual({ changed, bytesHashed }, { changed: 0, bytesHashed: 0 })
  assert.equal(folder.index.records.get('a')!.sequence, old.sequence)
  await replaceQuietly(folder, 'other')
  assert.equal((await folder.scan()).changed, 1)
})

test('a stamp covers inode and change time; without a change time there is none', () => {
  const item = { modifiedS: 1_700_000_000, modifiedNs: 5, changeStamp: 1.7e18 + 4_096, inode: 12n }
  const stamp = diskStampOf(item)!
  assert.ok(Number.isSafeInteger(stamp) && stamp > 0)
  assert.equal(diskStampOf({ ...item, inode: 12 }), stamp)
  assert.equal(hasOtherStamp(stamp, item), false)
  assert.equal(hasOtherStamp(stamp, { ...item, inode: 13n }), true)
  assert.equal(hasOtherStamp(stamp, { ...item, changeStamp: 1.7e18 + 8_192 }), true)
  assert.equal(hasOtherStamp(undefined, item), false)
  assert.equal(hasOtherStamp(stamp, { ...item, changeStamp: undefined }), false)
})

test('on a file system without change times, such as FAT, inodes do not count: they change at any time', () => {
  const item = { modifiedS: 1_700_000_000, modifiedNs: 10_000_000, changeStamp: 1.7e18 + 1e7 }
  assert.equal(diskStampOf({ ...item, inode: 1 }), diskStampOf({ ...item, inode: 2 }))
  assert.notEqual(diskStampOf({ ...item, inode: 1 }), diskStampOf({ ...item, modifiedS: 1_700_000_002, inode: 1 }))
})

test('neighbouring inodes and times have different stamps', () => {
  const stamps = new Set<number | undefined>()
  for (let inode = 0; inode < 300; inode++)
    for (let tick = 0; tick < 300; tick++)
      stamps.add(diskStampOf({ modifiedS: 0, modifiedNs: 0, inode, changeStamp: 1.7e18 + tick * 256 }))
  assert.equal(stamps.size, 90_000)
})
