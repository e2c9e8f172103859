/** One pair of devices for all tests of this file: folders at paths that only Windows has, and disks that go away. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { HOST } from '../../tools/windows/host.ts'
import { addPeer, startMember, type Member } from '../support/daemon-pair.ts'
import { eventually } from '../support/scratch.ts'
import { runTwinfold, startWindows, windowsDirectory, windowsPath } from '../support/windows.ts'
import { differing, put } from './scene.ts'

const DEVICES = join(HOST.drive, '..', 'dosdevices')
const scratch = windowsDirectory()
const inScratch = (name: string) => join(scratch.path, name)
const longPath = (name: string) => `\\\\?\\${windowsPath(inScratch(name))}`
const PLACES: readonly (readonly [id: string, path: string, here: string, device?: string])[] = [
  ['drive', 'E:\\', inScratch('drive-e'), 'e:'],
  ['drive-bare', 'f:', inScratch('drive-f'), 'f:'],
  ['drive-long', '\\\\?\\G:\\', inScratch('drive-g'), 'g:'],
  ['unc', '\\\\server\\share', inScratch('share'), 'unc/server/share'],
  ['unc-long', '\\\\?\\UNC\\server\\other', inScratch('other'), 'unc/server/other'],
  ['long', longPath('long'), inScratch('long')],
  ['slashes', windowsPath(inScratch('slashes')).replaceAll('\\', '/'), inScratch('slashes')],
  ['tilde', '~\\tilde-test', join(HOST.drive, 'users', 'root', 'tilde-test')],
]
let windows: Member
let linux: Member

/** Makes a drive, or a share of another machine, of a directory here. */
function attach(device: string, directory: string): void {
  mkdirSync(directory, { recursive: true })
  const link = join(DEVICES, device)
  mkdirSync(join(link, '..'), { recursive: true })
  rmSync(link, { force: true })
  symlinkSync(directory.slice(HOST.root.length), link)
}

before(async () => {
  // Wine gives a drive its number some time after it was attached.
  for (const [, , here, device] of PLACES) if (device !== undefined) attach(device, here)
  windows = await startWindows(scratch.path)
  linux = await startMember(scratch.path, 'linux')
  await addPeer(windows, linux)
  await addPeer(linux, windows)
})

after(async () => {
  await windows?.[Symbol.asyncDispose]()
  await linux?.[Symbol.asyncDispose]()
  for (const drive of ['e:', 'f:', 'g:']) rmSync(join(DEVICES, drive), { force: true })
  rmSync(join(DEVICES, 'unc', 'server'), { recursive: true, force: true })
  rmSync(join(HOST.drive, 'users', 'root', 'tilde-test'), { recursive: true, force: true })
  scratch[Symbol.dispose]()
})

interface Status {
  readonly state: string
  readonly error: string
  readonly needTotalItems: number
}

async function statusAt({ daemon }: Member, id: string): Promise<Status> {
  return (await daemon.get(`/rest/db/status?folder=${id}`)) as Status
}

async function shareFolder(id: string, path: string): Promise<string> {
  const other = join(scratch.path, `linux-${id}`)
  await windows.daemon.addFolder(id, path, { devices: [{ deviceID: linux.id }] })
  await linux.daemon.addFolder(id, other, { devices: [{ deviceID: windows.id }] })
  return other
}

async function scanFolder(id: string): Promise<void> {
  for (const { daemon } of [windows, linux]) await daemon.post(`/rest/db/scan?folder=${id}`)
}

async function untilSame(id: string, here: string, there: string): Promise<void> {
  await eventually(`equal trees of ${id}`, async () => {
    const names = differing(here, there)
    if (names.length > 0) throw new Error(names.join(' '))
    const all = await Promise.all([windows, linux].map((each) => statusAt(each, id)))
    return all.every(({ state, needTotalItems }) => state === 'idle' && needTotalItems === 0) || undefined
  })
}

/** Scans, receives, deletes, both ways. */
async function synchronize(id: string, here: string, there: string): Promise<void> {
  put(here, 'from-windows/a/b.txt', 'from Windows')
  put(here, 'top.txt', 'at the root')
  put(there, 'from-linux/a/b.txt', 'from Linux')
  put(there, 'linux.txt', 'at the root')
  await scanFolder(id)
  await untilSame(id, here, there)
  assert.equal(readFileSync(join(here, 'from-linux/a/b.txt'), 'utf8'), 'from Linux')
  put(there, 'top.txt', 'replaced', 1_700_000_100)
  rmSync(join(there, 'from-windows'), { recursive: true })
  rmSync(join(here, 'from-linux'), { recursive: true })
  await scanFolder(id)
  await untilSame(id, here, there)
  assert.deepEqual(readdirSync(here).sort(), ['.stfolder', 'linux.txt', 'top.txt'])
  assert.equal(readFileSync(join(here, 'top.txt'), 'utf8'), 'replaced')
}

for (const [id, path, here] of PLACES) {
  test(`a folder at ${path} is scanned, receives and deletes, and its path stays as it was written`, async () => {
    mkdirSync(here, { recursive: true })
    const there = await shareFolder(id, path)
    await synchronize(id, here, there)
    const config = (await windows.daemon.get(`/rest/config/folders/${id}`)) as { readonly path: string }
    assert.equal(config.path, path)
  })
}

async function checkFolder(
  path: string,
): Promise<{ problem: { code: string; text: string } | null; warnings: string[] }> {
  return JSON.parse(await windows.daemon.post(`/rest/twinfold/check-folder?path=${encodeURIComponent(path)}`))
}

test('a folder around the home of the device is refused by whatever path, in the words of the user', async () => {
  const above = scratch.windows
  attach('unc/server/home', scratch.path)
  for (const path of [above, above.toUpperCase(), `\\\\?\\${above}`, 'C:\\', 'c:', '\\\\?\\C:\\', '\\\\server\\home']) {
    const { problem } = await checkFolder(path)
    assert.equal(problem?.code, 'contains-home', path)
    const reply = await windows.daemon.request('POST', '/rest/config/folders', { id: 'around', path })
    assert.equal(reply.status, 400, path)
    assert.ok((await reply.text()).includes(`${path} contains the home`), path)
  }
  const home = `--home=${windowsPath(windows.daemon.home)}`
  const { code, output } = runTwinfold(['folder', 'add', above, home])
  assert.notEqual(code, 0)
  assert.match(output, /contains the home of this device/)
})

test('folders that overlap are found by whatever path, and commands take paths of Windows', async () => {
  const inner = `${scratch.windows}\\slashes\\inner`
  for (const path of [inner, inner.toUpperCase(), `\\\\?\\${inner}`, inner.replaceAll('\\', '/')]) {
    const { warnings } = await checkFolder(path)
    assert.deepEqual(warnings.length, 1, path)
    assert.match(warnings[0]!, /is inside the folder "slashes"/, path)
  }
  assert.match((await checkFolder('E:\\sub')).warnings[0] ?? '', /is inside the folder "drive"/)
  assert.match((await checkFolder('\\\\SERVER\\share\\sub')).warnings[0] ?? '', /is inside the folder "unc"/)
  assert.match((await checkFolder(`${scratch.windows}\\share\\sub`)).warnings[0] ?? '', /is inside the folder "unc"/)
  const home = `--home=${windowsPath(windows.daemon.home)}`
  mkdirSync(join(scratch.path, 'slashes', 'scanned'))
  put(scratch.path, 'slashes/scanned/file', 'found by the command')
  const { code, output } = runTwinfold(['scan', 'slashes', `${scratch.windows.toLowerCase()}\\slashes\\scanned`, home])
  assert.equal(code, 0, output)
  const record = await windows.daemon.get('/rest/db/file?folder=slashes&file=scanned/file')
  assert.ok(record)
  const added = runTwinfold(['folder', 'add', `${scratch.windows}\\by-command`, '--id', 'by-command', home])
  assert.equal(added.code, 0, added.output)
  assert.ok(existsSync(join(scratch.path, 'by-command', '.stfolder')))
})

test('a removed disk stops its folder: nothing is deleted, and it resumes with the disk', async () => {
  const here = inScratch('drive-e')
  const there = join(scratch.path, 'linux-drive')
  for (let i = 0; i < 5; i++) put(here, `kept/${i}.txt`, `content ${i}`)
  await scanFolder('drive')
  await untilSame('drive', here, there)
  const before = readdirSync(join(there, 'kept'))

  unlinkSync(join(DEVICES, 'e:'))
  put(there, 'meanwhile.txt', 'written while the disk was away')
  await linux.daemon.post('/rest/db/scan?folder=drive')
  const reply = await windows.daemon.request('POST', '/rest/db/scan?folder=drive')
  assert.equal(reply.ok, false)
  assert.match(await reply.text(), /folder path missing/)
  assert.equal((await statusAt(windows, 'drive')).state, 'error')

  // Another disk in its place, without a marker.
  attach('e:', inScratch('empty'))
  const other = await windows.daemon.request('POST', '/rest/db/scan?folder=drive')
  assert.match(await other.text(), /folder marker missing/)
  assert.deepEqual(readdirSync(inScratch('empty')), [], 'nothing is written to it')
  assert.deepEqual(readdirSync(join(there, 'kept')), before, 'nothing is deleted')

  attach('e:', here)
  await scanFolder('drive')
  await untilSame('drive', here, there)
  assert.equal(readFileSync(join(here, 'meanwhile.txt'), 'utf8'), 'written while the disk was away')
})

test('nothing is written or sent through a link that only the resolved path shows', async () => {
  const [here, there] = [inScratch('slashes'), join(scratch.path, 'linux-slashes')]
  put(scratch.path, 'outside/secret.txt', 'a secret')
  put(scratch.path, 'outside-kept/secret.txt', 'a secret')
  // Wine shows a link of Linux as a plain directory.
  symlinkSync('../outside', join(here, 'link'))
  put(there, 'link/planted.txt', 'planted')
  await scanFolder('slashes')
  const error = await eventually('the refusal', async () => {
    const { errors } = (await windows.daemon.get('/rest/folder/errors?folder=slashes')) as {
      readonly errors: readonly { readonly path: string; readonly error: string }[] | null
    }
    return errors?.find(({ path }) => path === 'link/planted.txt')?.error
  })
  assert.match(error, /symbolic link/)
  assert.deepEqual(readdirSync(inScratch('outside')), ['secret.txt'])
  assert.ok(!existsSync(join(there, 'link/secret.txt')))
  unlinkSync(join(here, 'link'))
  renameSync(inScratch('outside-kept'), join(here, 'link'))
  await scanFolder('slashes')
  await untilSame('slashes', here, there)
})
