import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { FolderConfig } from '../../src/core/config/config.ts'
import { createVersioner } from '../../src/versioner/versioner.ts'
import { nodeClock } from '../../src/platform/node/clock.ts'
import { nodeDisk } from '../../src/platform/node/disk/disk.ts'
import { nodePrograms } from '../../src/platform/node/programs.ts'
import { reportRow } from '../support/effort.ts'
import { quietLogger } from '../support/logger.ts'
import { simFolder } from '../support/model.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const NEVER = new AbortController().signal

/** Moves the file away and logs its arguments and variables, one per line. */
const RECORDER = `
import { appendFileSync, rmSync } from 'node:fs'
const [, , log, folder, file] = process.argv
const { FILE_PATH: env, STGUIAPIKEY: key = null } = process.env
appendFileSync(log, JSON.stringify({ folder, file, args: process.argv.length, env, key }) + '\\n')
rmSync(folder + '/' + file)
`

function external(root: string, command: string) {
  const folder: FolderConfig = {
    ...simFolder('docs'),
    versioning: { type: 'external', params: { command }, cleanupIntervalS: 0, fsPath: '', fsType: 'basic' },
  }
  const versioner = createVersioner(
    { disk: nodeDisk, clock: nodeClock, programs: nodePrograms, log: quietLogger('versioner') },
    { folder, root, userHome: root, versionsPercentMax: () => 0, isFrozen: () => false },
  )
  assert.ok(versioner !== undefined)
  return versioner
}

test('N-12: a program of the user receives hostile names unchanged, without a shell', async () => {
  using scratch = scratchDirectory()
  const root = join(scratch.path, 'a folder; touch owned')
  mkdirSync(root)
  const script = join(scratch.path, 'recorder.mjs')
  const log = join(scratch.path, 'log')
  writeFileSync(script, RECORDER)
  const versioner = external(root, `${process.execPath} ${script} ${log} %FOLDER_PATH% %FILE_PATH%`)
  const names = [
    '$(touch owned)',
    '`touch owned`',
    '; touch owned',
    '| touch owned',
    '> owned',
    '-rf',
    '--help',
    '*',
    '?',
    "'",
    '"',
    'a b',
    'new\nline',
    '\u202etxt',
    '%FOLDER_PATH%',
    '${HOME}',
    '&& touch owned',
    '\\',
    'ä',
    '~',
    '!x',
    '#x',
  ]
  process.env['STGUIAPIKEY'] = 'secret'
  try {
    for (const name of names) {
      writeFileSync(join(root, name), 'x')
      await versioner.archive(name, NEVER)
      assert.ok(!existsSync(join(root, name)), name)
    }
  } finally {
    delete process.env['STGUIAPIKEY']
  }
  const logged = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object)
  assert.deepEqual(
    logged,
    names.map((name) => ({ folder: root, file: name, args: 5, env: name, key: null })),
  )
  const injections = [scratch.path, root, process.cwd()].filter((directory) =>
    existsSync(join(directory, 'owned')),
  ).length
  reportRow({ id: 'N-12', tried: names.length, injections, how: 'recording program' })
  assert.equal(injections, 0)
})

test('a program that fails, leaves the file or does not exist fails the file with a readable reason', async () => {
  using scratch = scratchDirectory()
  writeFileSync(join(scratch.path, 'f'), 'x')
  const script = join(scratch.path, 'fails.mjs')
  writeFileSync(script, 'console.error("no room"); process.exit(3)')
  for (const [command, message] of [
    ['/bin/true', 'external versioner: archive: file was not removed by external script'],
    [`${process.execPath} ${script}`, 'external versioner: archive: the program exited with code 3: "no room"'],
    ['/nonexistent/program %FILE_PATH%', /^external versioner: archive: the program could not be started: .*ENOENT/],
    ['', 'external versioner: archive: command is empty'],
    ['sh -c "rm %FILE_PATH%"', /mixed/],
  ] as const) {
    await assert.rejects(external(scratch.path, command).archive('f', NEVER), { code: 'item-failed', message })
    assert.ok(existsSync(join(scratch.path, 'f')))
  }
  await external(scratch.path, '/nonexistent/program').archive('not there', NEVER)
  await assert.rejects(external(scratch.path, 'x').versions(NEVER), {
    code: 'folder-error',
    message: 'external versioner: get versions: version restoration not supported with the current versioner',
  })
  await assert.rejects(external(scratch.path, 'x').restore('f', 0, { restore: async () => assert.fail() }, NEVER), {
    code: 'item-failed',
  })
})

test('a program that does not exit is terminated with all its child processes', async () => {
  using scratch = scratchDirectory()
  writeFileSync(join(scratch.path, 'f'), 'x')
  const stop = new AbortController()
  const started = join(scratch.path, 'started')
  const script = join(scratch.path, 'endless.sh')
  writeFileSync(script, 'sleep 1000 &\necho > "$1"\nsleep 1000\n')
  const archiving = external(scratch.path, `/bin/sh ${script} ${started}`).archive('f', stop.signal)
  await eventually('the program runs', async () => existsSync(started) || undefined)
  stop.abort(new Error('enough'))
  await assert.rejects(archiving, { message: 'enough' })
  const run = { program: '/bin/sh', args: [script, started], environment: {}, hidden: [], timeLimitMs: 50 }
  const end = await nodePrograms.run(run, NEVER)
  assert.deepEqual(end, { kind: 'killed', reason: 'it took longer than 0.05 s', output: '' })
})

test('no program is started for a file behind a symlink', async () => {
  using scratch = scratchDirectory()
  const outside = join(scratch.path, 'outside')
  const root = join(scratch.path, 'root')
  for (const directory of [outside, root]) mkdirSync(directory)
  writeFileSync(join(outside, 'f'), 'x')
  symlinkSync(outside, join(root, 'd'))
  await assert.rejects(external(root, '/bin/rm %FOLDER_PATH%/%FILE_PATH%').archive('d/f', NEVER), {
    code: 'item-failed',
    message: 'traverses symlink: d',
  })
  assert.ok(existsSync(join(outside, 'f')))
})
