/**
 * The program as it is shipped, for the tests that start processes: a daemon from the bundle starts with half the
 * processor time of one from the sources. Built when a source has changed; the tests of a run share one.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const CACHE = join(root, 'node_modules', '.cache', 'twinfold-test', 'program')
const BUILD_MS_MAX = 120_000
/** A bundle that no run has started with for this time is removed. */
const UNUSED_MS = 6 * 3_600_000

/** The main script; TEST_PROGRAM of the environment names the one of the whole run. */
export function testProgram(): string {
  process.env['TEST_PROGRAM'] ??= builtProgram()
  return process.env['TEST_PROGRAM']
}

function builtProgram(): string {
  const directory = join(CACHE, sourcesHash())
  if (!existsSync(directory)) {
    const { status, stderr } = spawnSync(process.execPath, [import.meta.filename, directory], {
      encoding: 'utf8',
      timeout: BUILD_MS_MAX,
    })
    if (status !== 0) throw new Error(`the program for tests cannot be built:\n${stderr}`)
  }
  const now = new Date()
  utimesSync(directory, now, now)
  return join(directory, 'dist', 'main', 'bin.js')
}

/** Changes with every source, by its size and time, and with what is bundled. */
function sourcesHash(): string {
  const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const others = [
    'package.json',
    'package-lock.json',
    'tools/bundle.ts',
    'tools/bundle-groups.ts',
    'tools/test-program.ts',
  ]
  const hash = createHash('sha256')
  for (const path of [...sources.sort(), ...others.map((name) => join(root, name))]) {
    const { size, mtimeMs } = statSync(path)
    hash.update(`${path} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}

/** Complete or not there: two test files may build at the same time. */
async function build(directory: string): Promise<void> {
  const { bundle } = await import('./bundle.ts')
  mkdirSync(CACHE, { recursive: true })
  removeUnused()
  const work = mkdtempSync(join(CACHE, 'build-'))
  try {
    await bundle(join(work, 'dist'))
    // It is a clone, as its sources are, with the page of the clone.
    for (const name of ['package.json', '.git']) symlinkSync(join(root, name), join(work, name))
    symlinkSync(join(root, 'dist', 'gui'), join(work, 'dist', 'gui'))
    chmodSync(work, 0o755) // for daemons of other users
    try {
      renameSync(work, directory)
    } catch (error) {
      if (!existsSync(directory)) throw error
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function removeUnused(): void {
  for (const name of readdirSync(CACHE)) {
    const path = join(CACHE, name)
    if (Date.now() - statSync(path).mtimeMs > UNUSED_MS) rmSync(path, { recursive: true, force: true })
  }
}

if (process.argv[1] === import.meta.filename) await build(process.argv[2] ?? '')
