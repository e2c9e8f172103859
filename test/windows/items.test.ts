/** One pair of devices for all tests of this file: what Windows does differently with items. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startMember, type Member } from '../support/daemon-pair.ts'
import { eventually } from '../support/scratch.ts'
import { evaluate, nodeCommand, startWindows, windowsDirectory, windowsPath } from '../support/windows.ts'
import { itemErrors, put, scan, share, untilEqual } from './scene.ts'

let scratch: ReturnType<typeof windowsDirectory>
let windows: Member
let linux: Member

before(async () => {
  scratch = windowsDirectory()
  windows = await startWindows(scratch.path)
  linux = await startMember(scratch.path, 'linux')
  await share(windows, linux)
  put(linux.root, 'first', 'first')
  await scan(linux)
  await untilEqual([windows, linux])
})

after(async () => {
  await windows?.[Symbol.asyncDispose]()
  await linux?.[Symbol.asyncDispose]()
  scratch?.[Symbol.dispose]()
})

const UNUSABLE = [
  'CON',
  'aux.txt',
  'LPT1',
  'dot.',
  'space ',
  'a:b',
  'back\\slash',
  '..\\..\\escaped',
  'sub/nul/x',
  'what?',
]

test('names that Windows cannot have are refused with the remedy; everything else arrives', async () => {
  for (const name of UNUSABLE) put(linux.root, `names/${name}`, name)
  put(linux.root, 'names/usable', 'usable')
  await scan(linux)
  const expected = [...UNUSABLE.map((name) => `names/${name}`), 'names/sub/nul'].sort()
  const errors = await eventually('the errors', async () => {
    const found = await itemErrors(windows)
    return found.size >= expected.length ? found : undefined
  })
  assert.deepEqual([...errors.keys()].sort(), expected)
  for (const error of errors.values()) assert.match(error, /rename the item on another device, or ignore it here/)
  assert.deepEqual(readdirSync(join(windows.root, 'names')).sort(), ['sub', 'usable'])
  assert.ok(!existsSync(join(scratch.path, 'escaped')) && !existsSync(join(windows.root, 'escaped')))

  rmSync(join(linux.root, 'names'), { recursive: true })
  await scan(linux)
  await untilEqual([windows, linux])
  assert.equal((await itemErrors(windows)).size, 0)
})

test('names that differ in case only, and renames that change only the case', async () => {
  put(linux.root, 'case/Photo.jpg', 'upper')
  await scan(linux)
  await untilEqual([windows, linux])
  renameSync(join(linux.root, 'case/Photo.jpg'), join(linux.root, 'case/photo.jpg'))
  await scan(linux)
  await untilEqual([windows, linux])
  assert.deepEqual(readdirSync(join(windows.root, 'case')), ['photo.jpg'])

  put(linux.root, 'case/PHOTO.JPG', 'another file')
  await scan(linux)
  const errors = await eventually('the clash', async () => {
    const found = await itemErrors(windows)
    return found.size > 0 ? found : undefined
  })
  assert.match(errors.get('case/PHOTO.JPG') ?? '', /different upper or lowercase/)
  assert.equal(readFileSync(join(windows.root, 'case/photo.jpg'), 'utf8'), 'upper', 'nothing is overwritten')
  rmSync(join(linux.root, 'case/PHOTO.JPG'))
  await scan(linux)
  await untilEqual([windows, linux])
})

test('paths above 260 characters, and names in Unicode', async () => {
  const long = Array.from({ length: 6 }, (_, i) => `${i}`.repeat(60)).join('/')
  put(linux.root, `${long}/deep.txt`, 'deep')
  put(windows.root, `w/${long}/deep.txt`, 'deep on Windows')
  for (const name of ['Grüße', '日本語', 'emoji \u{1f600}', 'кириллица', '\u00e9'])
    put(linux.root, `unicode/${name}.txt`, name)
  await scan(linux)
  await scan(windows)
  await untilEqual([windows, linux])
})

test('a file that another program has open is not lost: the error names it, and it is retried', async () => {
  put(linux.root, 'open/report.doc', 'one')
  put(linux.root, 'open/gone.doc', 'one')
  await scan(linux)
  await untilEqual([windows, linux])
  const release = join(scratch.path, 'release')
  // Without sharing, as editors of Windows open what they edit.
  const script = `import fs from 'node:fs'
    const [, release, ...paths] = process.argv
    for (const path of paths) fs.openSync(path, fs.constants.O_RDWR | 0x10000000)
    fs.writeFileSync(release + '-held', '')
    setInterval(() => fs.existsSync(release) && process.exit(0), 100)`
  const files = ['report.doc', 'gone.doc'].map((name) => windowsPath(join(windows.root, 'open', name)))
  const [program, ...words] = nodeCommand(['--input-type=module', '-e', script, windowsPath(release), ...files])
  const holder = spawn(program!, words, { stdio: 'ignore' })
  try {
    await eventually('the files are held', () => (existsSync(`${release}-held`) ? true : undefined))
    put(linux.root, 'open/report.doc', 'two', 1_700_000_100)
    rmSync(join(linux.root, 'open/gone.doc'))
    await scan(linux)
    const errors = await eventually('errors of both', async () => {
      const found = await itemErrors(windows)
      return found.size === 2 ? found : undefined
    })
    assert.deepEqual([...errors.keys()].sort(), ['open/gone.doc', 'open/report.doc'])
    for (const error of errors.values()) assert.match(error, /another program|in use|open/i)
  } finally {
    writeFileSync(release, '')
    if (holder.exitCode === null) await once(holder, 'exit', { signal: AbortSignal.timeout(30_000) })
  }
  await untilEqual([windows, linux], 120_000)
  assert.equal(readFileSync(join(windows.root, 'open/report.doc'), 'utf8'), 'two')
  assert.deepEqual(readdirSync(join(windows.root, 'open')), ['report.doc'], 'nothing is left beside it')
})

test('read-only files are replaced and deleted', async () => {
  put(linux.root, 'attributes/read-only.txt', 'one')
  put(linux.root, 'attributes/removed.txt', 'one')
  await scan(linux)
  await untilEqual([windows, linux])
  const paths = ['read-only.txt', 'removed.txt'].map((name) => windowsPath(join(windows.root, 'attributes', name)))
  evaluate(
    `import { chmodSync } from 'node:fs'
    for (const path of process.argv.slice(1)) chmodSync(path, 0o444)
    console.log('1')`,
    ...paths,
  )
  await scan(windows)
  put(linux.root, 'attributes/read-only.txt', 'two', 1_700_000_200)
  rmSync(join(linux.root, 'attributes/removed.txt'))
  chmodSync(join(linux.root, 'first'), 0o600)
  await scan(linux)
  await untilEqual([windows, linux])
  assert.equal(readFileSync(join(windows.root, 'attributes/read-only.txt'), 'utf8'), 'two')
})
