/** What `npm test` and `npm run nightly` consist of. */
import { globSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { testProgram } from './test-program.ts'
import { command, type Isolation, type TestRuns } from './test-runs.ts'

const root = join(import.meta.dirname, '..')
const bin = (name: string) => join(root, 'node_modules', '.bin', name)

/**
 * Stages that run at the same time. A real Syncthing waits for its intervals most of the time, daemons and browsers for
 * each other some of it; `processor` takes what they leave, with low priority, so that no test of theirs runs out of
 * time. More lanes save nothing on two cores, and tests with limits of time fail; `package` is one process of low
 * priority at a time that waits for npm, from the start, so that the run does not end with it alone.
 */
export const LANES = ['daemons', 'processor', 'package'] as const
export type Lane = (typeof LANES)[number]

export interface Stage {
  readonly name: string
  /** Stages of a lane run one after another, beside those of other lanes; without one: alone. */
  readonly lane?: Lane
  run(runs: TestRuns, files: readonly string[]): Promise<boolean>
}

interface StageOptions {
  readonly isolation?: Isolation
  readonly env?: Record<string, string>
  /** Files at a time where each has a process. */
  readonly atOnce?: number
  readonly lowPriority?: boolean
  readonly node?: string
  readonly timeoutMs?: number
  /** Whether a few failed files are run once more; of a commit they are, to tell an unstable file from a broken one. */
  readonly again?: boolean
}

/** Runs files named by hand as they are, otherwise those of the stage. */
async function tests(
  runs: TestRuns,
  byHand: readonly string[],
  ofStage: readonly string[],
  { isolation = 'apart', env: more = {}, node = process.execPath, ...options }: StageOptions = {},
): Promise<boolean> {
  // Before the first file, which would wait for it otherwise, and on the Node of this machine.
  const env = isolation === 'apart' ? { ...more, TEST_PROGRAM: testProgram() } : more
  return byHand.length > 0
    ? runs.run(byHand, { ...options, isolation, env, node, again: false, atOnce: 2 })
    : runs.run(ofStage, { again: true, ...options, isolation, env, node })
}

/** The first of a list, so that each is in another process, and none begins when all others have ended. */
const SLOW = new RegExp(
  [
    'sim',
    'tidy|db/sqlite/damage|tools/fuzz|client/documented|contract/scan-ports|scanner/scanner',
    'model/(?:puller/versions-crash|folder-scans|guard-figures)',
    'interop/(?:sync-many|sync-kill|encryption|port-mapping|sharing|relay\\.|discovery\\.|index|switching|login)',
    'process/(?:sync|manual|password|kill|untrusted|lifecycle|move|cli|config|service|demo|import)',
    'browser/(?:hostile|accessibility|keyboard|reconnect|log\\.|choose|table|folder-care)',
  ]
    .map((name) => `^test/(?:${name})`)
    .join('|'),
)

function slowFirst(files: readonly string[]): string[] {
  const isSlow = (file: string) => SLOW.test(file)
  return [...files.filter(isSlow), ...files.filter((file) => !isSlow(file))]
}

function testFiles(pattern: string, except: readonly string[] = []): string[] {
  return globSync(pattern, { cwd: root })
    .filter((file) => !except.some((name) => file.startsWith(`test/${name}`)))
    .sort()
}

const INTEROP_AT_ONCE = 4
const DAEMONS_AT_ONCE = 3
/** They wait for each other and for the page, and most of the other lane has ended by then. */
const BROWSERS_AT_ONCE = 4

const OLD_SYNCTHING_ONLY = 'home-older'
const WITH_OLD_SYNCTHING = [OLD_SYNCTHING_ONLY, 'switching', 'sync', 'sync-conflicts']
const OTHER_BROWSERS = ['browser/firefox.test.ts', 'browser/webkit.test.ts']
const NOT_UNIT = [
  'process/',
  'package/',
  'interop/',
  'fuzz/',
  'arm64/',
  'browser/',
  'container/',
  'debian/',
  'monitoring/',
  'disasters/',
  'real-clients/',
  'windows/',
  'single-file/',
]
const UNIT_FILES = slowFirst(testFiles('test/**/*.test.ts', NOT_UNIT))
const INTEROP_FILES = slowFirst(testFiles('test/interop/**/*.test.ts', [`interop/${OLD_SYNCTHING_ONLY}`]))
const BROWSER_FILES = slowFirst(testFiles('test/browser/**/*.test.ts', OTHER_BROWSERS))
const PROCESS_FILES = slowFirst(testFiles('test/process/**/*.test.ts'))

/** Everything that a commit must pass. */
export const COMMIT_STAGES: readonly Stage[] = [
  {
    name: 'check',
    lane: 'processor',
    run: () =>
      all(
        ...['.', 'gui', 'test/gui'].map((project) => command(bin('tsc'), ['-p', project])),
        command(bin('oxlint'), ['--quiet', 'src', 'gui', 'test', 'tools', 'bench']),
        command(bin('oxlint'), ['--quiet', '--type-aware', '-c', '.oxlintrc-promises.json', 'src', 'gui']),
        command(bin('oxfmt'), ['--check', '.']),
        command(bin('knip'), []),
      ),
  },
  {
    name: 'unit',
    lane: 'processor',
    run: (runs, files) => tests(runs, files, UNIT_FILES, { isolation: 'together', lowPriority: true }),
  },
  {
    name: 'fuzz',
    lane: 'processor',
    run: (runs, files) => tests(runs, files, testFiles('test/fuzz/**/*.test.ts'), { lowPriority: true }),
  },
  {
    name: 'interop',
    lane: 'daemons',
    run: (runs, files) => tests(runs, files, INTEROP_FILES, { atOnce: INTEROP_AT_ONCE }),
  },
  {
    name: 'process',
    lane: 'daemons',
    run: (runs, files) => tests(runs, files, PROCESS_FILES, { atOnce: DAEMONS_AT_ONCE }),
  },
  {
    name: 'package',
    lane: 'package',
    run: (runs, files) => tests(runs, files, testFiles('test/package/**/*.test.ts'), { lowPriority: true }),
  },
  {
    name: 'browser',
    lane: 'daemons',
    run: (runs, files) => withPage(() => tests(runs, files, BROWSER_FILES, { atOnce: BROWSERS_AT_ONCE })),
  },
]

/**
 * What changes only with another platform or program, and more of what chance decides: the tests of a commit cover the
 * same behaviour. A failed file is not run again here.
 */
export const NIGHTLY_STAGES: readonly Stage[] = [
  { name: 'arm64', run: arm64 },
  { name: 'other-browsers', run: otherBrowsers },
  {
    name: 'old-syncthing',
    run: (runs, files) =>
      tests(
        runs,
        files,
        WITH_OLD_SYNCTHING.map((name) => `test/interop/${name}.test.ts`),
        { env: { TWINFOLD_SYNCTHING: 'installed' }, again: false },
      ),
  },
  {
    name: 'real-clients',
    run: (runs, files) =>
      tests(runs, files, testFiles('test/real-clients/**/*.test.ts'), { timeoutMs: LONG_MS, again: false }),
  },
  { name: 'next-node', run: nextNode },
  {
    name: 'container',
    run: (runs, files) =>
      tests(runs, files, testFiles('test/container/**/*.test.ts'), { timeoutMs: LONG_MS, again: false }),
  },
  {
    name: 'debian',
    run: (runs, files) => tests(runs, files, testFiles('test/debian/**/*.test.ts'), { again: false }),
  },
  {
    name: 'single-file',
    run: (runs, files) =>
      tests(runs, files, testFiles('test/single-file/**/*.test.ts'), { timeoutMs: LONG_MS, again: false }),
  },
  {
    name: 'monitoring',
    run: (runs, files) => tests(runs, files, testFiles('test/monitoring/**/*.test.ts'), { again: false }),
  },
  {
    name: 'disasters',
    run: (runs, files) => tests(runs, files, testFiles('test/disasters/**/*.test.ts'), { again: false }),
  },
  {
    name: 'more-cases',
    run: (runs, files) =>
      tests(runs, files, filesWithCases(), { env: { TWINFOLD_EFFORT: '10' }, timeoutMs: LONG_MS, again: false }),
  },
  {
    name: 'long-fuzz',
    run: (runs, files) =>
      tests(runs, files, testFiles('test/fuzz/**/*.test.ts'), {
        env: { TWINFOLD_EFFORT: '40' },
        timeoutMs: LONG_MS,
        again: false,
      }),
  },
]

/** An emulated processor is about twelve times slower; five times the cases take as long as that. */
const LONG_MS = 3_600_000

/** Files whose number of cases, kills or seeds grows with the effort, but the fuzzing, which has a stage of its own. */
function filesWithCases(): string[] {
  return slowFirst(testFiles('test/**/*.test.ts', ['fuzz/'])).filter((file) =>
    /\b(?:effort|casesOf)\(/.test(readFileSync(join(root, file), 'utf8')),
  )
}

/**
 * The other architecture, emulated; on a machine of that architecture all other stages are that test. Files of other
 * stages run on the emulated Node themselves: `--only arm64 test/core/ignore.test.ts`.
 */
async function arm64(runs: TestRuns, files: readonly string[]): Promise<boolean> {
  if (process.arch === 'arm64') {
    console.log('not needed: this machine is arm64, so that every stage is a test of it')
    return true
  }
  const others = files.filter((file) => !file.startsWith('test/arm64/'))
  if (others.length === 0) return tests(runs, files, testFiles('test/arm64/**/*.test.ts'), { again: false })
  const { ARM64_NODE, missingArm64 } = await import('../test/support/arm64.ts')
  if (missingArm64() !== undefined) return false
  return tests(runs, others, [], { ...onNode(ARM64_NODE), isolation: 'together', timeoutMs: LONG_MS })
}

/** The next major version of Node, for what runs in it: the tests of the sources, and of whole daemons. */
async function nextNode(runs: TestRuns, files: readonly string[]): Promise<boolean> {
  const { missingNextNode, NEXT_NODE } = await import('../test/support/next-node.ts')
  if (missingNextNode() !== undefined) return false
  const options = { ...onNode(NEXT_NODE), again: false }
  const unit = await tests(runs, files, UNIT_FILES, { ...options, isolation: 'together' })
  if (files.length > 0) return unit
  return (await tests(runs, [], PROCESS_FILES, { ...options, atOnce: DAEMONS_AT_ONCE })) && unit
}

/** Firefox and WebKit, and the whole Chromium in place of its smaller build. */
function otherBrowsers(runs: TestRuns, files: readonly string[]): Promise<boolean> {
  const [others, whole] = [OTHER_BROWSERS.map((name) => `test/${name}`), { TWINFOLD_BROWSER: 'chromium' }]
  return withPage(async () => {
    if (files.length > 0) return tests(runs, files, [], { env: whole })
    const passed = await tests(runs, [], others, { again: false })
    return (await tests(runs, [], BROWSER_FILES, { env: whole, again: false })) && passed
  })
}

/** Also for what the tests start by name. */
function onNode(node: string): StageOptions {
  return { node, env: { PATH: [dirname(node), process.env['PATH'] ?? ''].join(delimiter) } }
}

/** Builds the page first, so that tests never use a version older than the sources. */
async function withPage(run: () => Promise<boolean>): Promise<boolean> {
  return (await command(process.execPath, ['tools/gui.ts'])) && run()
}

async function all(...steps: readonly Promise<boolean>[]): Promise<boolean> {
  const results = await Promise.all(steps)
  return results.every(Boolean)
}
