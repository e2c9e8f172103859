// The one door from npm: installs what is missing, then runs a command of the repository on the Node it pins.
// Plain JavaScript on purpose: this file must run on whatever Node the machine has.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const nodeBinary = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
const stampFile = join(root, 'node_modules', '.installed-from')

const COMMANDS = {
  start: ['src/main/bin.ts', 'serve'],
  twinfold: ['src/main/bin.ts'],
  test: ['tools/test.ts'],
  check: ['tools/test.ts', '--only', 'check'],
  bench: ['bench/bench.ts'],
  soak: ['tools/soak.ts'],
  sim: ['tools/sim.ts'],
  build: ['tools/build.ts'],
}

function fail(message) {
  process.stderr.write(`twinfold: ${message}\n`)
  process.exit(1)
}

/** What an install depends on. Equal text in the stamp file means nothing is to be done, also without a network. */
function wantedStamp() {
  const hash = createHash('sha256')
  for (const file of ['package.json', 'package-lock.json']) hash.update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

function isInstalled() {
  return existsSync(nodeBinary) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wantedStamp()
}

function install() {
  process.stderr.write('twinfold: installing what the repository pins (once, needs the npm registry) …\n')
  const npmScript = process.env['npm_execpath']
  // Not "ci": that refuses a lock file without the packages of platforms which the registry at hand does not carry.
  const words = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  const [program, args] = npmScript?.endsWith('.js') ? [process.execPath, [npmScript, ...words]] : ['npm', words]
  const result = spawnSync(program, args, { cwd: root, stdio: ['ignore', 2, 2], shell: false })
  if (result.error) fail(`npm could not be started (${result.error.message}); install npm and try again`)
  if (result.status !== 0) fail('npm could not install the dependencies, see above; nothing was started')
  if (!existsSync(nodeBinary)) {
    fail('the pinned Node was not installed. Install scripts may be switched off: run "npm install --ignore-scripts=false"')
  }
  writeFileSync(stampFile, wantedStamp())
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
  return ['gui', 'src/client', 'src/rest', 'src/core'].some((directory) => newer(join(root, directory)))
}

/** Takes a second or two. Without a page everything else still works, and the daemon says what to do. */
function buildPage() {
  const result = spawnSync(nodeBinary, [join(root, 'tools', 'gui.ts')], { cwd: root, stdio: ['ignore', 2, 2], shell: false })
  if (result.status !== 0) process.stderr.write('twinfold: the web page could not be built, see above; going on without it\n')
}

const [name, ...args] = process.argv.slice(2)
const command = Object.hasOwn(COMMANDS, name ?? '') ? COMMANDS[name] : undefined
if (command === undefined) fail(`unknown command "${name}"; known: ${Object.keys(COMMANDS).join(', ')}`)
if (!isInstalled()) install()

if (['start', 'twinfold', 'test'].includes(name) && isPageOld()) buildPage()

const [script, ...fixed] = command
// npm changes into the repository; a relative path in the arguments is meant from where the person stands.
const cwd = name === 'start' || name === 'twinfold' ? (process.env['INIT_CWD'] ?? process.cwd()) : root
// With the cache known from the first instruction Node need not load its type stripper for a single file.
const env = { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'twinfold') }
const child = spawn(nodeBinary, [join(root, script), ...fixed, ...args], { cwd, env, stdio: 'inherit' })
// On a terminal an interrupt reaches the whole process group by itself; passing it on would make it two.
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
process.on('SIGINT', () => {
  if (!process.stdin.isTTY) child.kill('SIGINT')
})
child.on('error', (error) => fail(`the pinned Node could not be started: ${error.message}`))
child.on('exit', (code, signal) => {
  process.exitCode = code ?? 1
  if (signal !== null) {
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  }
})
