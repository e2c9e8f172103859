import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkNewFolder } from '../../src/config/new-folder.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimDisk } from '../../src/platform/sim/disk.ts'
import { simFolder } from '../support/model.ts'

const HOME = { directories: ['/home/ann/state'], userHome: '/home/ann' }
const PHOTOS = simFolder('photos', { path: '/srv/photos' })

async function scene(): Promise<SimDisk> {
  const disk = new SimDisk(new SimClock(), { umask: 0 })
  disk.put('/home/ann/state/key.pem', '')
  disk.put('/home/ann/letter.txt', 'x')
  disk.put('/srv/photos/a.jpg', 'x')
  disk.put('/srv/photos/2026/b.jpg', 'x')
  disk.put('/srv/free/c', 'x')
  return disk
}

async function check(path: string, disk?: SimDisk) {
  const on = disk ?? (await scene())
  const result = await checkNewFolder({ disk: on, folders: [PHOTOS], home: HOME }, simFolder('new', { path }))
  return { ...result, disk: on }
}

const refused: [path: string, code: string, text: RegExp][] = [
  ['', 'empty', /empty/],
  ['~', 'contains-home', /private key/],
  ['/home', 'contains-home', /contains the home of this device \(\/home\/ann\/state\)/],
  ['~/letter.txt', 'not-a-directory', /\/home\/ann\/letter\.txt is not a directory/],
  ['~/letter.txt/deeper', 'not-a-directory', /is not a directory/],
  ['/mnt/usb/photos', 'missing-parent', /\/mnt\/usb does not exist/],
]
for (const [path, code, text] of refused) {
  test(`new folder ${path || '(empty)'}: ${code}`, async () => {
    const { problem } = await check(path)
    assert.equal(problem?.code, code)
    assert.match(problem?.text ?? '', text)
  })
}

test('new folder: the whole home of the user is refused, also where the home of the device is elsewhere', async () => {
  const home = { directories: ['/var/twinfold'], userHome: '/home/ann' }
  const folder = simFolder('new', { path: '/home/ann' })
  assert.equal((await checkNewFolder({ disk: await scene(), folders: [], home }, folder)).problem?.code, 'user-home')
})

test('new folder: existence and free space are reported, for a new directory those of its parent', async () => {
  const { exists, freeBytes } = await check('/srv/free')
  assert.ok(exists && freeBytes !== null && freeBytes > 0)
  const fresh = await check('/srv/new')
  assert.deepEqual([fresh.exists, fresh.freeBytes], [false, freeBytes])
  assert.deepEqual(await check('').then((empty) => [empty.exists, empty.freeBytes]), [false, null])
  assert.equal((await check('/mnt/usb/photos')).freeBytes, null)
})

test('new folder: one that can be read and written is accepted, and the check leaves nothing behind', async () => {
  for (const path of ['/srv/free', '/srv/new', '~/Documents']) {
    const { problem, warnings, disk } = await check(path)
    assert.deepEqual([problem, warnings], [null, []], path)
    assert.deepEqual((await disk.list('/srv')).map(({ name }) => name).sort(), ['free', 'photos'])
    assert.deepEqual(
      (await disk.list('/srv/free')).map(({ name }) => name),
      ['c'],
    )
  }
})

test('new folder: errors of the system are named', async () => {
  const unreadable = await scene()
  unreadable.fail({ call: 'list', code: 'EACCES', under: '/srv/free' })
  assert.match((await check('/srv/free', unreadable)).problem?.text ?? '', /cannot be read: .*EACCES/)
  const readOnly = await scene()
  readOnly.fail({ call: 'mkdir', code: 'EROFS', under: '/srv', times: 9 })
  assert.match((await check('/srv/free', readOnly)).problem?.text ?? '', /\/srv\/free cannot be written: .*EROFS/)
  assert.equal((await check('/srv/new', readOnly)).problem?.code, 'read-only')
  readOnly.put('/srv/free/.stfolder/x', '')
  assert.equal((await check('/srv/free', readOnly)).problem, null, 'a marked folder needs no new marker')
})

test('new folder: nesting is a warning in both directions', async () => {
  assert.deepEqual((await check('/srv/photos/2026')).warnings, [
    '/srv/photos/2026 is inside the folder "photos" (/srv/photos)',
  ])
  assert.deepEqual((await check('/srv')).warnings, ['/srv contains the folder "photos" (/srv/photos)'])
})

test('new folder: nesting is found behind a symlink, too', async () => {
  const disk = await scene()
  await disk.makeSymlink('/srv/photos', '/srv/link')
  assert.deepEqual((await check('/srv/link/2026', disk)).warnings, [
    '/srv/link/2026 is inside the folder "photos" (/srv/photos)',
  ])
})
