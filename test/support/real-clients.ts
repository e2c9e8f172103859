import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isOnPath, required, withInstallLock } from './debian.ts'

const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'twinfold-test', 'real-clients')
const DRIVERS = join(import.meta.dirname, '..', 'real-clients')
const INSTALL_MS_MAX = 900_000

const PYTHON_PACKAGES = ['aiosyncthing==0.7.1', 'Deprecated==1.3.1', 'syncthing==2.4.1', 'setuptools<81']
const NODE_PACKAGE = 'node-syncthing@3.3.7'

const RUST_SOURCES = ['Cargo.toml', 'src/main.rs'].map((file) => readFileSync(join(DRIVERS, 'rust', file), 'utf8'))
const SOURCES = JSON.stringify([PYTHON_PACKAGES, NODE_PACKAGE, RUST_SOURCES])

export interface RealClient {
  readonly name: string
  /** What is missing to run it, or undefined. Gets it where we may, over the network; throws under CI=true. */
  missing(): string | undefined
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

const PYTHON = join(CACHE, 'python', 'bin', 'python3')
const RUST = join(CACHE, 'rust', 'target', 'debug', 'real-client')

export const REAL_CLIENTS: readonly RealClient[] = [
  {
    name: 'aiosyncthing',
    missing: () => missing('aiosyncthing', 'python', installPython),
    command: [PYTHON, '-P', join(DRIVERS, 'aiosyncthing.py')],
  },
  {
    name: 'syncthing of PyPI',
    missing: () => missing('syncthing', 'python', installPython),
    command: [PYTHON, '-P', join(DRIVERS, 'syncthing.py')],
  },
  {
    name: 'node-syncthing',
    missing: () => missing('node-syncthing', 'node', installNode),
    command: [process.execPath, '--no-deprecation', join(DRIVERS, 'node-syncthing.cjs')],
    env: { PACKAGES: join(CACHE, 'node', 'node_modules') },
  },
  {
    name: 'the crate syncthing',
    missing: () => missing('the crate syncthing', 'rust', buildRust),
    command: [RUST],
  },
]

/** Installed once, outside of any namespace; a mark says that it is complete, and of which sources. */
function missing(name: string, directory: string, install: (into: string) => boolean): string | undefined {
  const into = join(CACHE, directory)
  const mark = join(into, 'complete')
  const isComplete = () => existsSync(mark) && readFileSync(mark, 'utf8') === SOURCES
  if (!isComplete()) {
    withInstallLock(() => {
      if (isComplete()) return
      mkdirSync(into, { recursive: true })
      if (install(into)) writeFileSync(mark, SOURCES)
    })
  }
  return isComplete() ? undefined : required(`${name} could not be got from its registry here`)
}

function installPython(into: string): boolean {
  if (!isOnPath('python3')) return false
  const pip = join(into, 'bin', 'pip')
  return run('python3', ['-m', 'venv', into]) && run(pip, ['install', '--quiet', ...PYTHON_PACKAGES])
}

function installNode(into: string): boolean {
  const words = ['install', '--prefix', into, '--ignore-scripts', '--no-audit', '--no-fund', NODE_PACKAGE]
  return run('npm', words)
}

function buildRust(into: string): boolean {
  if (!isOnPath('cargo')) return false
  cpSync(join(DRIVERS, 'rust'), into, { recursive: true })
  return run('cargo', ['build', '--quiet', '--manifest-path', join(into, 'Cargo.toml')])
}

function run(program: string, words: readonly string[]): boolean {
  return spawnSync(program, words, { stdio: ['ignore', 'ignore', 'inherit'], timeout: INSTALL_MS_MAX }).status === 0
}
