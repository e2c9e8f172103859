import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prepareHome } from '../../../src/main/home/prepare-home.ts'
import { createSimPlatform } from '../../../src/platform/sim/platform.ts'
import type { ProgramEnd } from '../../../src/platform/programs.ts'

const HOME = '/disk/home'
const DONE = { kind: 'exited', code: 0, output: 'processed 1 file\r\n' } as const

/** A machine whose disk has paths of Linux: places are compared by name only. */
function machine(
  { key, files, profile }: { readonly key?: boolean; readonly files?: boolean; readonly profile?: string } = {},
  icacls: ProgramEnd = DONE,
) {
  const made = createSimPlatform(1)
  if (key === true) made.disk.put(`${HOME}/key.pem`, 'key')
  if (files === true) made.disk.put(`${HOME}/notes.txt`, 'of another user')
  made.programs.act = async ({ program }) =>
    program.endsWith('whoami.exe') ? { ...DONE, output: '"pc\\anna","S-1-5-21-1-2-3-1001"' } : icacls
  const environment = (name: string) => (name === 'USERPROFILE' ? (profile ?? '/profile') : undefined)
  return {
    ...made,
    system: { ...made.system, platform: 'win32', environment },
    locations: { configDirectory: HOME, dataDirectory: `${HOME}-data`, keyFile: `${HOME}/key.pem` },
  }
}

test('a new home outside of the profile is closed to others, before it has keys', async () => {
  const it = machine()
  assert.deepEqual(await prepareHome(it, it.locations), [])
  const changed = it.programs.runs.filter(({ program }) => program.endsWith('icacls.exe'))
  assert.deepEqual(
    changed.map(({ args }) => [args[0], args[3]]),
    [HOME, `${HOME}-data`].map((directory) => [directory, '*S-1-5-21-1-2-3-1001:(OI)(CI)F']),
  )
  assert.equal((await it.disk.lstat(HOME)).type, 'directory')
})

test('nothing is changed for a home that has its keys, one in the profile, and on other systems', async () => {
  for (const it of [machine({ key: true }), machine({ profile: '/disk' })]) {
    assert.deepEqual(await prepareHome(it, it.locations), [])
    assert.deepEqual(it.programs.runs, [])
  }
  const linux = { ...machine(), system: createSimPlatform(1).system }
  assert.deepEqual(await prepareHome(linux, linux.locations), [])
  assert.deepEqual(linux.programs.runs, [])
})

test('a directory with files of others keeps its rights: a warning names it and the remedy', async () => {
  const it = machine({ files: true })
  const [warning, ...more] = await prepareHome(it, it.locations)
  assert.deepEqual(more, [])
  assert.match(
    warning!,
    /may read the keys in \/disk\/home: .*it has other files.*run icacls "\/disk\/home" .*LOCALAPPDATA/,
  )
})

for (const [what, icacls, reason] of [
  ['refuses', { kind: 'exited', code: 5, output: 'Access is denied.\r\nFailed 1\r\n' }, /Access is denied\./],
  ['is missing', { kind: 'not-started', reason: 'spawn ENOENT' }, /spawn ENOENT/],
  ['says nothing', { kind: 'exited', code: 5, output: '' }, /exit code 5/],
] as const)
  test(`the start continues with a warning where icacls ${what}`, async () => {
    const it = machine({}, icacls)
    const warnings = await prepareHome(it, it.locations)
    assert.equal(warnings.length, 2)
    for (const warning of warnings) assert.match(warning, reason)
    assert.equal((await it.disk.lstat(`${HOME}-data`)).type, 'directory')
  })
