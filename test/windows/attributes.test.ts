/** One pair of devices for all tests of this file: hidden and system items, and the rights of a home. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startMember, type Member } from '../support/daemon-pair.ts'
import {
  attributesOf,
  runProgram,
  runTwinfold,
  startWindows,
  windowsDirectory,
  windowsPath,
} from '../support/windows.ts'
import { FOLDER, itemErrors, put, scan, share, untilEqual } from './scene.ts'

let scratch: ReturnType<typeof windowsDirectory>
let windows: Member
let linux: Member

before(async () => {
  scratch = windowsDirectory()
  windows = await startWindows(scratch.path)
  linux = await startMember(scratch.path, 'linux')
  await share(windows, linux)
})

after(async () => {
  await windows?.[Symbol.asyncDispose]()
  await linux?.[Symbol.asyncDispose]()
  scratch?.[Symbol.dispose]()
})

function set(name: string, ...attributes: readonly string[]): void {
  const { code, output } = runProgram(['attrib', ...attributes, windowsPath(join(windows.root, name))])
  assert.equal(code, 0, output)
}

test('the marker and the directory of old versions are hidden when they are made', async () => {
  await windows.daemon.request('PATCH', `/rest/config/folders/${FOLDER}`, {
    versioning: { type: 'trashcan', params: {} },
  })
  put(linux.root, 'kept.txt', 'one')
  await scan(linux)
  await untilEqual([windows, linux])
  rmSync(join(linux.root, 'kept.txt'))
  await scan(linux)
  await untilEqual([windows, linux])
  assert.equal(readFileSync(join(windows.root, '.stversions/kept.txt'), 'utf8'), 'one')
  for (const name of ['.stfolder', '.stversions']) assert.match(attributesOf(join(windows.root, name)), /H/, name)
  set('.stfolder', '-H')
  await scan(windows)
  assert.doesNotMatch(attributesOf(join(windows.root, '.stfolder')), /H/, 'a user may show it')
})

test('hidden and system items are announced, replaced, renamed and deleted like others', async () => {
  for (const name of ['hidden.txt', 'system.txt', 'gone.txt', 'both/inner.txt']) put(windows.root, `h/${name}`, 'one')
  set('h/hidden.txt', '+H')
  set('h/system.txt', '+S')
  set('h/gone.txt', '+H', '+S', '+R')
  set('h/both', '+H', '+S')
  await scan(windows)
  await untilEqual([windows, linux])
  assert.equal(readFileSync(join(linux.root, 'h/both/inner.txt'), 'utf8'), 'one')

  put(linux.root, 'h/hidden.txt', 'two', 1_700_000_300)
  put(linux.root, 'h/system.txt', 'two', 1_700_000_300)
  put(linux.root, 'h/both/new.txt', 'new')
  rmSync(join(linux.root, 'h/gone.txt'))
  await scan(linux)
  await untilEqual([windows, linux])
  for (const name of ['hidden.txt', 'system.txt'])
    assert.equal(readFileSync(join(windows.root, 'h', name), 'utf8'), 'two', name)
  assert.ok(!existsSync(join(windows.root, 'h/gone.txt')))

  rmSync(join(linux.root, 'h'), { recursive: true })
  await scan(linux)
  await untilEqual([windows, linux])
  assert.deepEqual([...(await itemErrors(windows))], [])
  assert.ok(!existsSync(join(windows.root, 'h')))
})

test('a hidden item that is edited on Windows stays hidden there', async () => {
  put(windows.root, 'edited.txt', 'one')
  set('edited.txt', '+H')
  await scan(windows)
  await untilEqual([windows, linux])
  writeFileSync(join(windows.root, 'edited.txt'), 'two and more')
  await scan(windows)
  await untilEqual([windows, linux])
  assert.match(attributesOf(join(windows.root, 'edited.txt')), /H/)
})

test('a home outside of the profile is made private, or a warning names it with the remedy', () => {
  const home = join(scratch.path, 'own', 'home')
  const { code, output } = runTwinfold(['generate', '--no-port-probing', `--home=${windowsPath(home)}`])
  assert.equal(code, 0, output)
  assert.doesNotMatch(output, /WARNING/, 'whoami and icacls were run')
  const shared = join(scratch.path, 'shared')
  mkdirSync(shared)
  writeFileSync(join(shared, 'notes.txt'), 'of another user')
  const other = runTwinfold(['generate', '--no-port-probing', `--home=${windowsPath(shared)}`])
  assert.equal(other.code, 0, other.output)
  assert.match(
    other.output,
    /WARNING: other users may read the keys in C:\\tests\\.*\\shared: .*run icacls "C:\\tests\\/,
  )
  assert.ok(existsSync(join(shared, 'key.pem')))
})
