import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { replaceExecutable } from '../../../src/main/single-file/replace.ts'
import { nodePrograms } from '../../../src/platform/node/programs.ts'
import { scratchDirectory } from '../../support/scratch.ts'

// With the real tar, and scripts in place of executables.

const program = (version: string) => `#!/bin/sh\necho 'twinfold ${version} "Paper Crane"'\n`

interface Release {
  readonly text?: string
  readonly name?: string
  readonly isLink?: boolean
}

/** A directory with an installed program, and one with a release. */
function makeFiles(
  root: string,
  { text = program('v1.1.0'), name = 'twinfold-1.1.0-linux-x64', isLink }: Release = {},
) {
  const [installed, downloads] = [join(root, 'bin'), join(root, 'downloads')]
  for (const path of [installed, join(downloads, name)]) mkdirSync(path, { recursive: true })
  const executable = join(installed, 'twinfold')
  writeFileSync(executable, program('v1.0.0'), { mode: 0o755 })
  if (isLink === true) symlinkSync('/bin/true', join(downloads, name, 'twinfold'))
  else writeFileSync(join(downloads, name, 'twinfold'), text, { mode: 0o644 })
  const archive = join(downloads, `${name}.tar.xz`)
  assert.equal(spawnSync('tar', ['-cJf', archive, '-C', downloads, name]).status, 0)
  rmSync(join(downloads, name), { recursive: true })
  const sha256 = createHash('sha256').update(readFileSync(archive)).digest('hex')
  writeFileSync(join(downloads, 'SHA256SUMS'), `${'0'.repeat(64)}  other.tgz\n${sha256}  ${basename(archive)}\n`)
  const replace = (path = executable) =>
    replaceExecutable({ executable: path, archive, target: 'linux-x64' }, nodePrograms, new AbortController().signal)
  return { installed, downloads, executable, archive, replace }
}

test('an executable is replaced by the one in an archive, and the old one is kept', async () => {
  using scratch = scratchDirectory()
  const { installed, executable, replace } = makeFiles(scratch.path)
  const before = statSync(executable)
  assert.deepEqual(await replace(), { version: 'v1.1.0', kept: `${executable}.old` })
  assert.equal(readFileSync(executable, 'utf8'), program('v1.1.0'))
  assert.equal(statSync(executable).mode, before.mode)
  assert.equal(statSync(`${executable}.old`).ino, before.ino)
  assert.deepEqual(readdirSync(installed).sort(), ['twinfold', 'twinfold.old'])
  renameSync(`${executable}.old`, executable)
  await replace()
  await replace()
  assert.equal(readFileSync(`${executable}.old`, 'utf8'), program('v1.1.0'))
})

type Files = ReturnType<typeof makeFiles>
const REFUSED: [why: string, message: RegExp, release: Release, change?: (files: Files) => void][] = [
  [
    'other bytes than the checksum states',
    /does not have the checksum .*download both again/,
    {},
    ({ archive }) => writeFileSync(archive, Buffer.concat([readFileSync(archive), Buffer.from('x')])),
  ],
  ['no checksums', /ENOENT.*download SHA256SUMS/, {}, ({ downloads }) => rmSync(join(downloads, 'SHA256SUMS'))],
  [
    'checksums of another release',
    /has no checksum of twinfold-1\.1\.0-linux-x64\.tar\.xz/,
    {},
    ({ downloads }) => writeFileSync(join(downloads, 'SHA256SUMS'), `${'0'.repeat(64)}  other.tar.xz\n`),
  ],
  ['another platform', /another platform; .* linux-x64/, { name: 'twinfold-1.1.0-linux-arm64' }],
  ['a program that does not start', /nothing was changed/, { text: '#!/bin/sh\nexit 1\n' }],
  ['a program that prints no version', /printed no version/, { text: '#!/bin/sh\n' }],
  ['a link in place of the program', /has no program at/, { isLink: true }],
]
for (const [why, message, release, change] of REFUSED) {
  test(`nothing is replaced with ${why}`, async () => {
    using scratch = scratchDirectory()
    const files = makeFiles(scratch.path, release)
    change?.(files)
    await assert.rejects(files.replace(), { code: 'upgrade-failed', message })
    assert.equal(readFileSync(files.executable, 'utf8'), program('v1.0.0'))
    assert.deepEqual(readdirSync(files.installed), ['twinfold'])
  })
}

test('a directory that cannot be written is named, with the remedy', async () => {
  using scratch = scratchDirectory()
  const { replace } = makeFiles(scratch.path)
  // Root, too, can create nothing there.
  await assert.rejects(replace('/proc/self/twinfold'), { code: 'upgrade-failed', message: /\/proc\/self\/.*sudo/ })
})
