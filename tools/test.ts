/**
 * All checks and tests in one command: types, lint, format, unused code, layers, unit, property,
 * contract, real processes, a real Syncthing, another architecture, a real browser. Stages run one after the other;
 * `--only NAME` runs one, further arguments are test files.
 */
import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { Tally } from './reporter.ts'

const root = join(import.meta.dirname, '..')
const bin = (name: string) => join(root, 'node_modules', '.bin', name)

interface Stage {
  readonly name: string
  run(files: readonly string[]): Promise<boolean>
}

const total: Tally = { passed: 0, failed: 0, skipped: 0, failedFiles: [] }
/** Files with a failure in the first run and none in the second. */
const unstable: string[] = []
/** More failed files than this are no accident of time: they are not run again. */
const RUN_AGAIN_AT_MOST = 3

async function command(program: string, args: readonly string[], env: Record<string, string> = {}): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const child = spawn(program, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  })
  child.on('error', (error) => {
    console.error(`${program}: ${error.message}`)
    resolve(false)
  })
  child.on('exit', (code) => resolve(code === 0))
  return promise
}

type Isolation = 'together' | 'apart'

/**
 * Runs test files. Where at most a few of a whole stage fail, these run once more, one at a time (decision 019): tests
 * with real processes and sockets depend on the speed of a machine. `node`: another Node to run the tests on.
 */
async function tests(
  files: readonly string[],
  how: Isolation,
  env: Record<string, string> = {},
  node = process.execPath,
): Promise<boolean> {
  if (files.length === 0) return true
  const first = await runOnce(files, how, env, node)
  if (first === undefined) return false
  addUp(first)
  const failed = first.failedFiles
  if (failed.length === 0) return first.failed === 0
  if (!wholeStages || failed.length > RUN_AGAIN_AT_MOST) return false
  console.log(`== once more, alone: ${failed.join(' ')}`)
  const second = await runOnce(failed, 'one at a time', env, node)
  if (second === undefined || second.failed > 0) return false
  total.failed -= first.failed
  total.passed += first.failed
  unstable.push(...failed)
  return true
}

/**
 * `together`: all files in one process, which is far quicker; `apart`: a process each, for tests that start daemons.
 * Without an answer if the run ended otherwise than by its tests.
 */
async function runOnce(
  files: readonly string[],
  how: Isolation | 'one at a time',
  env: Record<string, string>,
  node: string,
): Promise<Tally | undefined> {
  const scratch = mkdtempSync(join(tmpdir(), 'twinfold-test-'))
  const tallyFile = join(scratch, 'tally.json')
  try {
    const isolation = {
      together: ['--test-isolation=none'],
      apart: ['--test-isolation=process', '--test-concurrency=2'],
      'one at a time': ['--test-isolation=process', '--test-concurrency=1'],
    }
    const args = ['--test', ...isolation[how], '--test-timeout=300000', '--test-reporter=./tools/reporter.ts', ...files]
    const setUp = ['--disable-warning=ExperimentalWarning', '--import=./test/support/repeatable-properties.mjs']
    const passed = await command(node, [...setUp, ...args], { ...env, TEST_TALLY: tallyFile })
    const tally: unknown = JSON.parse(readFileSync(tallyFile, 'utf8'))
    if (!isTally(tally) || passed !== (tally.failed === 0)) return undefined
    return tally
  } catch (error) {
    console.error(`the tests reported no result: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function isTally(value: unknown): value is Tally {
  return typeof value === 'object' && value !== null && 'failed' in value && 'failedFiles' in value
}

function addUp(tally: Tally): void {
  for (const key of ['passed', 'failed', 'skipped'] as const) total[key] += tally[key]
}

function testFiles(pattern: string, except: readonly string[] = []): string[] {
  return globSync(pattern, { cwd: root })
    .filter((file) => !except.some((folder) => file.startsWith(`test/${folder}/`)))
    .sort()
}

const WITH_OLD_SYNCTHING = ['sync', 'sync-conflicts']

const NOT_UNIT = ['process', 'package', 'interop', 'arm64', 'browser']

const STAGES: readonly Stage[] = [
  {
    name: 'check',
    run: () =>
      all(
        ...['.', 'gui', 'test/gui'].map((project) => command(bin('tsc'), ['-p', project])),
        command(bin('oxlint'), ['--quiet', 'src', 'gui', 'test', 'tools', 'bench']),
        command(bin('oxfmt'), ['--check', '.']),
        command(bin('knip'), []),
      ),
  },
  {
    name: 'unit',
    run: (files) => tests(files.length > 0 ? files : testFiles('test/**/*.test.ts', NOT_UNIT), 'together'),
  },
  {
    name: 'process',
    run: (files) => tests(files.length > 0 ? files : testFiles('test/process/**/*.test.ts'), 'apart'),
  },
  {
    name: 'package',
    run: (files) => tests(files.length > 0 ? files : testFiles('test/package/**/*.test.ts'), 'apart'),
  },
  { name: 'interop', run: interop },
  { name: 'arm64', run: arm64 },
  {
    name: 'browser',
    run: async (files) =>
      (await buildPage()) && tests(files.length > 0 ? files : testFiles('test/browser/**/*.test.ts'), 'apart'),
  },
]

/** With the current Syncthing; the tests of synchronizing also with the old one of Debian 12. */
async function interop(files: readonly string[]): Promise<boolean> {
  if (files.length > 0) return tests(files, 'apart')
  const today = await tests(testFiles('test/interop/**/*.test.ts'), 'apart')
  return (
    (await tests(
      WITH_OLD_SYNCTHING.map((name) => `test/interop/${name}.test.ts`),
      'apart',
      { TWINFOLD_SYNCTHING: 'installed' },
    )) && today
  )
}

/**
 * The other architecture, emulated; on a machine of that architecture all other stages are that test. Files of other
 * stages run on the emulated Node themselves: `--only arm64 test/core/ignore.test.ts`.
 */
async function arm64(files: readonly string[]): Promise<boolean> {
  if (process.arch === 'arm64') {
    console.log('not needed: this machine is arm64, so that every stage is a test of it')
    return true
  }
  const own = testFiles('test/arm64/**/*.test.ts')
  const others = files.filter((file) => !file.startsWith('test/arm64/'))
  if (others.length === 0) return tests(files.length > 0 ? files : own, 'apart')
  const { ARM64_NODE, missingArm64 } = await import('../test/support/arm64.ts')
  if (missingArm64() !== undefined) return false
  const path = [dirname(ARM64_NODE), process.env['PATH'] ?? ''].join(delimiter)
  return tests(others, 'together', { PATH: path }, ARM64_NODE)
}

/** Builds the page, so that tests never use a version older than the sources. */
function buildPage(): Promise<boolean> {
  return command(process.execPath, ['tools/gui.ts'])
}

async function all(...steps: readonly Promise<boolean>[]): Promise<boolean> {
  const results = await Promise.all(steps)
  return results.every(Boolean)
}

function usage(): never {
  console.error(`usage: npm test [-- --only ${STAGES.map((stage) => stage.name).join('|')} [FILE…]]`)
  process.exit(1)
}

const args = process.argv.slice(2)
const only = args[0] === '--only' ? args[1] : undefined
if (args.length > 0 && (args[0] !== '--only' || !STAGES.some((stage) => stage.name === only))) usage()

/** Files named by hand are run once. */
const wholeStages = args.length <= 2
const broken: string[] = []
for (const stage of STAGES) {
  if (only !== undefined && stage.name !== only) continue
  const startedMs = performance.now()
  console.log(`== ${stage.name}`)
  if (!(await stage.run(args.slice(2)))) broken.push(stage.name)
  console.log(`== ${stage.name}: ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
}
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
if (unstable.length > 0) {
  console.log(`UNSTABLE, passed only in a second run: ${unstable.join(' ')}`)
}
if (broken.length > 0) {
  console.error(`broken: ${broken.join(', ')}`)
  process.exitCode = 1
}
