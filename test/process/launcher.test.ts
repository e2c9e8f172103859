import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { chooseNode, DAEMON_ENVIRONMENT, DAEMON_FLAGS } from '../../tools/choose-node.mjs'
import { killOnExit } from '../support/kill-on-exit.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/**
 * Stands in for npm: notes where it ran and puts down what `npm ci` would, unless a variable states that the registry
 * is away.
 */
const NPM = `
  import { appendFileSync, mkdirSync, symlinkSync } from 'node:fs'
  import { basename, dirname } from 'node:path'
  const call = { folder: basename(process.cwd()), args: process.argv.slice(2) }
  appendFileSync(process.env.NPM_LOG, JSON.stringify(call) + '\\n')
  if (process.env.NPM_FAILS === 'exit') process.exit(1)
  await new Promise((resolve) => setTimeout(resolve, Number(process.env.NPM_MS ?? 0)))
  mkdirSync('node_modules/lz4-napi', { recursive: true })
  const program = 'node_modules/' + process.env.NODE_PATH_IN_PACKAGE
  if (basename(process.cwd()) === 'node' && process.env.NPM_FAILS !== 'optional') {
    mkdirSync(dirname(program), { recursive: true })
    symlinkSync(process.execPath, program)
  }`

/** What runs in place of a tool of the repository: prints which program runs it. */
const TOOL =
  'const args: readonly string[] = process.argv.slice(2)\n' +
  'const arenas = process.env.MALLOC_ARENA_MAX\n' +
  'console.log(JSON.stringify({ program: process.argv0, flags: process.execArgv, args, arenas }))\n'

const OLD = [
  '--import',
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.1.0"}})',
]
const RISCV = ['--import', 'data:text/javascript,Object.defineProperty(process,"arch",{value:"riscv64"})']
const UNFIT = {
  'too old': OLD,
  'without SQLite': ['--no-experimental-sqlite'],
  'without type stripping': ['--no-experimental-strip-types'],
}

const pinned = chooseNode({
  version: '20.0.0',
  hasSqlite: true,
  stripsTypes: true,
  isMusl: false,
  platform: process.platform,
  arch: process.arch,
})

const NO_WARNING = '--disable-warning=ExperimentalWarning'

interface Start {
  readonly code: number | null
  readonly err: string
  /** Undefined when nothing was started. */
  readonly started:
    | {
        readonly program: string
        readonly flags: readonly string[]
        readonly args: readonly string[]
        /** Left out where it is not set. */
        readonly arenas?: string
      }
    | undefined
  /** In which folders npm ran. */
  readonly installed: readonly string[]
  /** Of each run of npm. */
  readonly arguments: readonly (readonly string[])[]
}

class Clone implements Disposable {
  readonly #scratch = scratchDirectory()
  readonly path = join(this.#scratch.path, 'clone')

  constructor() {
    for (const folder of [this.path, join(this.path, 'tools', 'node')]) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
      writeFileSync(join(folder, 'package-lock.json'), '{}')
    }
    for (const file of ['run.mjs', 'choose-node.mjs']) cpSync(join(ROOT, 'tools', file), join(this.path, 'tools', file))
    for (const folder of ['docs', 'gui', 'src/client', 'src/rest', 'src/core', 'src/main', 'dist/gui'])
      mkdirSync(join(this.path, folder), { recursive: true })
    for (const file of ['tools/sim.ts', 'src/main/bin.ts']) writeFileSync(join(this.path, file), TOOL)
    writeFileSync(join(this.path, 'dist', 'gui', 'index.html'), '')
    mkdirSync(join(this.path, 'npm'))
    writeFileSync(join(this.path, 'npm', 'npm-cli.js'), NPM)
  }

  get pinnedProgram(): string {
    assert.ok(pinned.kind === 'pinned')
    return join(this.path, 'tools', 'node', ...pinned.path)
  }

  start(flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}, command = 'sim'): Start {
    const log = join(this.path, 'npm.log')
    rmSync(log, { force: true })
    const result = spawnSync(process.execPath, [...flags, join(this.path, 'tools', 'run.mjs'), command, 'a word'], {
      encoding: 'utf8',
      timeout: 60_000,
      env: {
        ...process.env,
        npm_execpath: join(this.path, 'npm', 'npm-cli.js'),
        NPM_LOG: log,
        NODE_PATH_IN_PACKAGE: pinned.kind === 'pinned' ? pinned.path.slice(1).join('/') : '',
        ...env,
      },
    })
    const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []
    const calls = lines.map((line) => JSON.parse(line) as { readonly folder: string; readonly args: readonly string[] })
    for (const { args } of calls) assert.ok(args[0] === 'ci' && args.includes('--ignore-scripts'), args.join(' '))
    return {
      code: result.status,
      err: result.stderr,
      started: result.stdout === '' ? undefined : (JSON.parse(result.stdout) as Start['started']),
      installed: calls.map(({ folder }) => folder),
      arguments: calls.map(({ args }) => args),
    }
  }

  [Symbol.dispose](): void {
    this.#scratch[Symbol.dispose]()
  }
}

test("launcher: the machine's own Node is used where it can, and no other is installed", () => {
  using clone = new Clone()
  const { code, started, installed } = clone.start()
  assert.equal(code, 0)
  assert.deepEqual(started, { program: process.execPath, flags: [NO_WARNING], args: ['a word'] })
  assert.deepEqual(installed, ['clone'])
})

test('launcher: the daemon gets its flags for V8 and its variables at the start', () => {
  using clone = new Clone()
  const flags = [NO_WARNING, ...DAEMON_FLAGS]
  assert.deepEqual(clone.start([], {}, 'start').started, {
    program: process.execPath,
    flags,
    args: ['serve', 'a word'],
    arenas: DAEMON_ENVIRONMENT.MALLOC_ARENA_MAX,
  })
  assert.equal(clone.start([], { MALLOC_ARENA_MAX: '4' }, 'start').started?.arenas, '4')
  assert.deepEqual(clone.start([], {}, 'twinfold').started?.flags, flags)
})

test('launcher: the flags bound the growth of the heap and leave compiled code usable', () => {
  const figures = '[v8.cachedDataVersionTag(), v8.getHeapStatistics().heap_size_limit / 2 ** 20]'
  const read = (flags: readonly string[]): readonly number[] => {
    const args = [...flags, '-p', `JSON.stringify(${figures})`]
    return JSON.parse(spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout)
  }
  const [[ownTag], [tag, limitMib]] = [read([]), read(DAEMON_FLAGS)]
  assert.equal(tag, ownTag)
  // From 2,048 MiB on V8 lets the heap grow to four times of what is alive.
  assert.ok(limitMib! >= 1_536 && limitMib! < 2_048, `${limitMib} MiB`)
})

test('launcher: a second start needs neither npm nor its registry, until the lock changes', () => {
  using clone = new Clone()
  clone.start()
  const again = clone.start([], { npm_execpath: '', PATH: '' })
  assert.deepEqual([again.code, again.err, again.installed], [0, '', []])
  writeFileSync(join(clone.path, 'package-lock.json'), '{ "changed": true }')
  assert.deepEqual(clone.start().installed, ['clone'])
  assert.deepEqual(clone.start().installed, [])
})

for (const [name, flags] of Object.entries(UNFIT)) {
  test(
    `launcher: where the machine's Node is ${name}, the pinned one is installed once and used`,
    { skip: pinned.kind !== 'pinned' },
    () => {
      using clone = new Clone()
      const first = clone.start(flags)
      assert.equal(first.code, 0, first.err)
      assert.equal(first.started?.program, clone.pinnedProgram)
      assert.deepEqual(first.installed, ['node', 'clone'])
      assert.match(first.err, /installing a newer Node, because Node \d+\.\d+\.\d+ of this machine/)
      const again = clone.start(flags, { npm_execpath: '', PATH: '' })
      assert.deepEqual([again.code, again.err, again.started?.program], [0, '', clone.pinnedProgram])
      rmSync(clone.pinnedProgram)
      writeFileSync(join(clone.path, 'tools', 'node', 'node_modules', '.installed-from'), 'another lock')
      assert.deepEqual(clone.start(flags).installed, ['node'])
    },
  )
}

test('launcher: on a platform without a pinned Node the error names what to install', () => {
  using clone = new Clone()
  const { code, err, started, installed } = clone.start([...OLD, ...RISCV])
  assert.deepEqual([code, started, installed], [1, undefined, []])
  assert.match(
    err,
    /^twinfold: Node 20\.1\.0 of this machine is older than 24, .*riscv64; install Node 24 or newer from .*\n$/,
  )
})

test(
  'launcher: nothing starts without what npm could not get, and the next start tries again',
  { skip: pinned.kind !== 'pinned' },
  () => {
    using clone = new Clone()
    const failed = clone.start([], { NPM_FAILS: 'exit' })
    assert.deepEqual([failed.code, failed.started], [1, undefined])
    assert.match(
      failed.err,
      /npm could not install the dependencies; .* try again once the npm registry can be reached/,
    )
    const left = clone.start(OLD, { NPM_FAILS: 'optional' })
    assert.deepEqual([left.code, left.started], [1, undefined])
    assert.match(
      left.err,
      /npm did not install a newer Node, .* is missing; try again once the npm registry can be reached/,
    )
    assert.deepEqual(clone.start(OLD).installed, ['node', 'clone'])
  },
)

test('launcher: without npm the error names it', () => {
  using clone = new Clone()
  const { code, err } = clone.start([], { npm_execpath: '/opt/yarn/lib/cli.js', PATH: '' })
  assert.equal(code, 1)
  assert.match(err, /npm could not be started .*; install npm and try again/)
})

test('launcher: an installation that takes long is reported, and npm gives up soon without a network', () => {
  using clone = new Clone()
  const { code, err, arguments: args } = clone.start([], { NPM_MS: '5000' })
  assert.equal(code, 0, err)
  assert.match(err, /npm is still at work after \d+ s/)
  assert.ok(args[0]?.includes('--fetch-retry-maxtimeout=4000'), args[0]?.join(' '))
})

const LINK = join(ROOT, 'src', 'platform', 'node', 'launcher-link.ts')
/** Runs until it is ended, and leaves a file then. */
const ENDING_TOOL = `
  import { writeFileSync } from 'node:fs'
  import { endWithLauncher } from ${JSON.stringify(LINK)}
  endWithLauncher(process.env)
  const [file] = process.argv.slice(-1)
  process.on('SIGTERM', () => {
    writeFileSync(file + '.ended', '')
    process.exit(0)
  })
  writeFileSync(file + '.started', '')
  setTimeout(() => process.exit(1), 120_000) // a failed test leaves no process behind`

for (const signal of ['SIGTERM', 'SIGHUP', 'SIGKILL'] as const) {
  test(`launcher: the daemon of "npm start" ends after ${signal} to npm or its shell`, async () => {
    using clone = new Clone()
    clone.start() // installs
    writeFileSync(join(clone.path, 'src', 'main', 'bin.ts'), ENDING_TOOL)
    const file = join(clone.path, 'daemon')
    // As npm runs a script: a shell that waits for the launcher and passes no signal on.
    const script = `'${process.execPath}' '${join(clone.path, 'tools', 'run.mjs')}' start '${file}'; exit`
    const shell = spawn('sh', ['-c', script], {
      env: { ...process.env, npm_lifecycle_event: 'start' },
      stdio: 'ignore',
    })
    killOnExit(shell)
    await eventually('the daemon', () => existsSync(`${file}.started`) || undefined)
    shell.kill(signal)
    await eventually('the end of the daemon', () => existsSync(`${file}.ended`) || undefined)
  })
}

test('launcher: the daemon of a launcher that is killed ends in order', async () => {
  using clone = new Clone()
  clone.start() // installs
  writeFileSync(join(clone.path, 'src', 'main', 'bin.ts'), ENDING_TOOL)
  const file = join(clone.path, 'daemon')
  const launcher = spawn(process.execPath, [join(clone.path, 'tools', 'run.mjs'), 'start', file], { stdio: 'ignore' })
  killOnExit(launcher)
  await eventually('the daemon', () => existsSync(`${file}.started`) || undefined)
  launcher.kill('SIGKILL')
  await eventually('the end of the daemon', () => existsSync(`${file}.ended`) || undefined)
})
