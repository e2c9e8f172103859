/**
 * All checks and tests in one command: types, lint, format, unused code, layers, unit, property,
 * contract, real processes, a real Syncthing, another architecture, a real browser. `--only NAME` runs one stage,
 * further arguments are test files.
 */
import { globSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { command, type Isolation, TestRuns } from './test-runs.ts'

const root = join(import.meta.dirname, '..')
const bin = (name: string) => join(root, 'node_modules', '.bin', name)

interface Stage {
  readonly name: string
  /** Starts with the stage before it: these two need different things, so that neither waits for the other. */
  readonly besidePrevious?: true
  run(files: readonly string[]): Promise<boolean>
}

interface StageOptions {
  readonly env?: Record<string, string>
  /** Files at a time where each has a process. */
  readonly atOnce?: number
}

/** Runs the test files of a stage. */
async function tests(
  files: readonly string[],
  isolation: Isolation,
  { env = {}, atOnce = 2 }: StageOptions = {},
): Promise<boolean> {
  return runs.run(files, { isolation, env, atOnce, node: process.execPath, again: wholeStages })
}

/** The slowest files are in `test/sim`: the first of a list, so that each is in another process. */
function slowFirst(files: readonly string[]): string[] {
  const isSlow = (file: string) => file.startsWith('test/sim/')
  return [...files.filter(isSlow), ...files.filter((file) => !isSlow(file))]
}

function testFiles(pattern: string, except: readonly string[] = []): string[] {
  return globSync(pattern, { cwd: root })
    .filter((file) => !except.some((folder) => file.startsWith(`test/${folder}/`)))
    .sort()
}

/** A real Syncthing waits for its intervals most of the time: two files at a time would leave both cores idle. */
const INTEROP_AT_ONCE = 4
/** Daemons and browsers wait for each other some of the time. */
const DAEMONS_AT_ONCE = 3
const WITH_OLD_SYNCTHING = ['sync', 'sync-conflicts']

const NOT_UNIT = ['process', 'package', 'interop', 'fuzz', 'arm64', 'browser']

const args = process.argv.slice(2)
/** Files named by hand are run once. */
const wholeStages = args.length <= 2
const runs = new TestRuns()

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
    run: (files) => tests(files.length > 0 ? files : slowFirst(testFiles('test/**/*.test.ts', NOT_UNIT)), 'together'),
  },
  {
    name: 'process',
    run: (files) =>
      files.length > 0
        ? tests(files, 'apart')
        : tests(testFiles('test/process/**/*.test.ts'), 'apart', { atOnce: DAEMONS_AT_ONCE }),
  },
  {
    name: 'package',
    besidePrevious: true,
    run: (files) => tests(files.length > 0 ? files : testFiles('test/package/**/*.test.ts'), 'apart'),
  },
  { name: 'interop', run: interop },
  {
    name: 'fuzz',
    besidePrevious: true,
    run: (files) => tests(files.length > 0 ? files : testFiles('test/fuzz/**/*.test.ts'), 'apart'),
  },
  { name: 'arm64', run: arm64 },
  {
    name: 'browser',
    run: async (files) =>
      (await buildPage()) &&
      (files.length > 0
        ? tests(files, 'apart')
        : tests(testFiles('test/browser/**/*.test.ts'), 'apart', { atOnce: DAEMONS_AT_ONCE })),
  },
]

/** With the current Syncthing; the tests of synchronizing also with the old one of Debian 12. */
async function interop(files: readonly string[]): Promise<boolean> {
  if (files.length > 0) return tests(files, 'apart')
  const today = await tests(testFiles('test/interop/**/*.test.ts'), 'apart', { atOnce: INTEROP_AT_ONCE })
  const old = WITH_OLD_SYNCTHING.map((name) => `test/interop/${name}.test.ts`)
  return (await tests(old, 'apart', { env: { TWINFOLD_SYNCTHING: 'installed' } })) && today
}

/** An emulated processor is about twelve times slower. */
const EMULATED_TIMEOUT_MS = 3_600_000

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
  return runs.run(others, {
    isolation: 'together',
    env: { PATH: path },
    node: ARM64_NODE,
    again: wholeStages,
    timeoutMs: EMULATED_TIMEOUT_MS,
  })
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

const only = args[0] === '--only' ? args[1] : undefined
if (args.length > 0 && (args[0] !== '--only' || !STAGES.some((stage) => stage.name === only))) usage()

const broken: string[] = []

async function runStage({ name, run }: Stage): Promise<void> {
  const startedMs = performance.now()
  console.log(`== ${name}`)
  if (!(await run(args.slice(2)))) broken.push(name)
  console.log(`== ${name}: ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
}

const started: Promise<void>[] = []
for (const stage of STAGES) {
  if (only !== undefined && stage.name !== only) continue
  if (stage.besidePrevious !== true) await Promise.all(started.splice(0))
  started.push(runStage(stage))
}
await Promise.all(started)
console.log(runs.summary())
if (broken.length > 0) {
  console.error(`broken: ${broken.join(', ')}`)
  process.exitCode = 1
}
