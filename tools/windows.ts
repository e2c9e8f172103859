/**
 * Runs the suites of test/windows, or the files named, beside a Windows made of Wine (`tools/windows/host.ts`), in
 * namespaces of their own: nothing but loopback is reached, and no mount or process is left, however the run ends.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { missingSyncthingProgram } from '../test/support/syncthing-program.ts'
import { root } from './manifest.ts'
import { testProgram } from './test-program.ts'
import { HOST, makeHost, makePrefix } from './windows/host.ts'

const INSIDE = 'TWINFOLD_WINDOWS_INSIDE'
const FILE_MS_MAX = '900000'

/** The file systems that Wine needs, and the checkout with the packages for Windows. */
const SCRIPT = [
  'set -e',
  'ip link set lo up',
  'mount --make-rprivate /',
  'mount -t proc proc /proc',
  'mount -t proc proc "$1/proc"',
  'mount --rbind /dev "$1/dev"',
  'mount --bind "$2" "$1/checkout"',
  'mount --bind "$3" "$1/checkout/node_modules"',
  'shift 3',
  'exec "$@"',
].join('\n')

/** The exit code of this program in the namespaces. */
async function runInside(): Promise<number> {
  const own = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  const places = [HOST.root, root, join(HOST.packages, 'node_modules')]
  const words = ['-n', '-m', '-p', '-f', '--kill-child', 'sh', '-c', SCRIPT, 'windows', ...places, ...own]
  const child = spawn('unshare', words, { stdio: 'inherit', env: { ...process.env, [INSIDE]: '1' } })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

function runFiles(files: readonly string[]): number {
  const wanted = files.length > 0 ? files : globSync('test/windows/*.test.ts', { cwd: root }).sort()
  const words = [join(root, 'tools', 'run-files.ts'), '--at-once', '1', '--timeout', FILE_MS_MAX, ...wanted]
  return spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' }).status ?? 1
}

if (process.env[INSIDE] === undefined) {
  testProgram()
  missingSyncthingProgram()
  await makeHost()
  process.exitCode = await runInside()
} else {
  makePrefix()
  process.exitCode = runFiles(process.argv.slice(2))
}
