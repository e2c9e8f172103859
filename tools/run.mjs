// Entry point of every npm script: installs what is missing, then runs a command of the repository on a Node that can
// run it.
// Plain JavaScript, because it must run on whatever Node the machine has.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chooseNode, DAEMON_ENVIRONMENT, DAEMON_FLAGS } from './choose-node.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const parent = process.ppid
const PARENT_CHECK_MS = 1_000
const FIRST_NOTICE_MS = 4_000
const NOTICE_MS = 15_000

const isMusl = process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined

/** Up to 24.2 Node warns of type stripping at every start. */
const NODE_FLAGS = ['--disable-warning=ExperimentalWarning']

const COMMANDS = {
  start: ['src/main/bin.ts', 'serve'],
  twinfold: ['src/main/bin.ts'],
  test: ['tools/test.ts'],
  nightly: ['tools/test.ts', '--nightly'],
  check: ['tools/test.ts', '--only', 'check'],
  bench: ['bench/bench.ts'],
  soak: ['tools/soak.ts'],
  sim: ['tools/sim.ts'],
  chaos: ['tools/chaos.ts'],
  fuzz: ['tools/fuzz.ts'],
  frames: ['tools/frames.ts'],
  proof: ['tools/proof.ts'],
  mutants: ['tools/mutants.ts'],
  build: ['tools/build.ts'],
  release: ['tools/release.ts'],
  windows: ['tools/windows.ts'],
}

function fail(message) {
  process.stderr.write(`twinfold: ${message}\n`)
  process.exit(1)
}

/** The program, installed where it is not the machine's own. */
async function findNode() {
  const choice = chooseNode({
    version: process.versions.node,
    hasSqlite: isBuiltin('node:sqlite'),
    stripsTypes: Boolean(process.features.typescript),
    platform: process.platform,
    arch: process.arch,
    isMusl,
  })
  if (choice.kind === 'own') return process.execPath
  if (choice.kind === 'none') fail(choice.message)
  const folder = join(root, 'tools', 'node')
  const program = join(folder, ...choice.path)
  await install(folder, program, `a newer Node, because ${choice.reason}`)
  return program
}

/** What an install depends on. Equal text in the stamp file means nothing is to be done, also without a network. */
function wantedStamp(folder) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${isMusl ? 'musl' : ''}`)
  for (const file of ['package.json', 'package-lock.json']) hash.update(readFileSync(join(folder, file)))
  return hash.digest('hex')
}

/** Installs exactly what the lock file of the folder names, unless that was done before. */
async function install(folder, needed, title) {
  const stampFile = join(folder, 'node_modules', '.installed-from')
  const stamp = wantedStamp(folder)
  if (existsSync(needed) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return
  process.stderr.write(`twinfold: installing ${title} (once, needs the npm registry) …\n`)
  // Everything, whatever NODE_ENV or the user's settings leave out: a clone loads the bundled packages from here.
  const all = ['--include=dev', '--include=optional']
  // By default npm tries for minutes before it reports that there is no network.
  const retries = ['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=4000']
  const npmArgs = ['ci', ...all, ...retries, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const npmScript = process.env['npm_execpath'] ?? ''
  // Only npm accepts these arguments; pnpm and yarn name themselves in the same variable.
  const [program, args] =
    basename(npmScript) === 'npm-cli.js' ? [process.execPath, [npmScript, ...npmArgs]] : ['npm', npmArgs]
  if ((await runNpm(program, args, folder)) !== 0)
    fail(`npm could not install ${title}; see above, and try again once the npm registry can be reached`)
  // npm ends without an error when it cannot get an optional package, which the packages of Node are.
  if (!existsSync(needed))
    fail(`npm did not install ${title}: ${needed} is missing; try again once the npm registry can be reached`)
  writeFileSync(stampFile, stamp)
}

/** Its exit code. npm shows nothing while it works or tries again, so the time is printed. */
async function runNpm(program, args, cwd) {
  const startedMs = performance.now()
  const notice = () => {
    const seconds = Math.round((performance.now() - startedMs) / 1_000)
    process.stderr.write(
      `twinfold: npm is still at work after ${seconds} s (a slow or missing network takes longer) …\n`,
    )
    timer = setTimeout(notice, NOTICE_MS)
  }
  let timer = setTimeout(notice, FIRST_NOTICE_MS)
  const npm = spawn(program, args, { cwd, env: ownEnvironment(), stdio: ['ignore', 2, 2], shell: false })
  const [code] = await once(npm, 'exit').catch((error) =>
    fail(`npm could not be started (${error.message}); install npm and try again`),
  )
  clearTimeout(timer)
  return code
}

/** Without the flags of the npm around us: `npm publish --dry-run` must not make our own install a dry run. */
function ownEnvironment() {
  const outer = /^npm_config_(dry_run|json|global|location|prefix|workspaces?|omit|include|only|package_lock_only)$/i
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !outer.test(name)))
}

/** Whether anything that the web page is made of is newer than what was built last. */
function isPageOld() {
  const built = join(root, 'dist', 'gui', 'index.html')
  if (!existsSync(built)) return true
  const builtMs = statSync(built).mtimeMs
  const newer = (directory) =>
    readdirSync(directory, { withFileTypes: true }).some((entry) => {
      const path = join(directory, entry.name)
      return entry.isDirectory() ? newer(path) : statSync(path).mtimeMs > builtMs
    })
  return ['docs', 'gui', 'src/client', 'src/rest', 'src/core'].some((directory) => newer(join(root, directory)))
}

/** Takes a second or two. Without a page everything else still works, and the daemon shows what to do. */
function buildPage(nodeBinary) {
  const result = spawnSync(nodeBinary, [...NODE_FLAGS, join(root, 'tools', 'gui.ts')], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: false,
  })
  if (result.status !== 0)
    process.stderr.write('twinfold: the web page could not be built, see above; going on without it\n')
}

const [name, ...args] = process.argv.slice(2)
const command = Object.hasOwn(COMMANDS, name ?? '') ? COMMANDS[name] : undefined
if (command === undefined) fail(`unknown command "${name}"; known: ${Object.keys(COMMANDS).join(', ')}`)
const nodeBinary = await findNode()
await install(root, join(root, 'node_modules', 'lz4-napi'), 'the dependencies')

if (['start', 'twinfold', 'test', 'nightly'].includes(name) && isPageOld()) buildPage(nodeBinary)

const [script, ...fixed] = command
// npm changes into the repository; a relative path in the arguments refers to the user's working directory.
const isProgram = name === 'start' || name === 'twinfold'
const cwd = isProgram ? (process.env['INIT_CWD'] ?? process.cwd()) : root
const flags = isProgram ? [...NODE_FLAGS, ...DAEMON_FLAGS] : NODE_FLAGS
// With the cache set at the start Node need not load its type stripper for a single file.
const env = {
  ...(isProgram && DAEMON_ENVIRONMENT),
  ...process.env,
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'twinfold'),
}
// "npm pack" builds first and prints its result on standard output, so nothing else is printed there.
const stdio = ['inherit', name === 'build' ? 2 : 'inherit', 'inherit']
// The program ends when this socket is closed: a launcher that is killed cannot pass a signal on.
const isLinked = isProgram && process.platform !== 'win32'
if (isLinked) {
  env['TWINFOLD_LAUNCHER_LINK'] = String(stdio.length)
  stdio.push('pipe')
}
const child = spawn(nodeBinary, [...flags, join(root, script), ...fixed, ...args], { cwd, env, stdio })
if (isLinked) child.stdio.at(-1).on('error', () => {})
// On a terminal an interrupt reaches the whole process group; passing it on would send it twice.
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
process.on('SIGINT', () => {
  if (!process.stdin.isTTY) child.kill('SIGINT')
})
// npm passes a signal on to the shell between itself and this process, which ends without passing it on.
if (process.env['npm_lifecycle_event'] !== undefined) {
  const check = () => {
    if (process.ppid === parent) return
    clearInterval(checking)
    child.kill('SIGTERM')
  }
  const checking = setInterval(check, PARENT_CHECK_MS).unref()
}
child.on('error', (error) => fail(`${nodeBinary} could not be started: ${error.message}`))
child.on('exit', (code, signal) => {
  process.exitCode = code ?? 1
  if (signal !== null) {
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  }
})
