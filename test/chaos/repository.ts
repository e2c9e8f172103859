import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Chance } from '../interop/random-changes.ts'

export const REPOSITORY = 'repository'

const SETTINGS = [
  '-c',
  'user.name=chaos',
  '-c',
  'user.email=chaos@localhost',
  '-c',
  'gc.auto=0',
  '-c',
  'commit.gpgsign=false',
]

/** Git at work in a directory of a folder that is synchronized with its objects and references. */
export class Repository {
  readonly #directory: string
  readonly #chance: Chance
  #number = 0
  commits = 0

  constructor(root: string, chance: Chance) {
    this.#directory = join(root, REPOSITORY)
    this.#chance = chance
  }

  /** A commit of some files; sometimes a branch, or all objects packed anew. */
  async work(): Promise<void> {
    mkdirSync(this.#directory, { recursive: true })
    await git(this.#directory, 'init', '--quiet')
    // Left by a git whose work was synchronized half way, as after a crash.
    for (const lock of globSync('.git/**/*.lock', { cwd: this.#directory }))
      rmSync(join(this.#directory, lock), { force: true })
    for (let count = 0; count <= this.#chance.below(4); count++)
      writeFileSync(
        join(this.#directory, `file-${this.#chance.below(12)}`),
        `${++this.#number}\n`.repeat(1 + this.#chance.below(400)),
      )
    await git(this.#directory, 'add', '--all')
    if (await git(this.#directory, 'commit', '--quiet', '--message', `change ${this.#number}`)) this.commits++
    if (this.#chance.below(6) === 0) await git(this.#directory, 'branch', '--force', `branch-${this.#chance.below(4)}`)
    if (this.#chance.below(6) === 0) await git(this.#directory, 'gc', '--quiet', '--prune=now')
  }
}

async function git(directory: string, ...words: readonly string[]): Promise<boolean> {
  const child = spawn('git', [...SETTINGS, ...words], { cwd: directory, stdio: 'ignore', env: environment() })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code === 0
}

/** What is wrong with the copy of a repository, apart from conflict copies; undefined if nothing. */
export function repositoryFault(root: string, scratch: string): string | undefined {
  const copy = join(scratch, 'repository-copy')
  try {
    cpSync(join(root, REPOSITORY), copy, { recursive: true })
    for (const path of globSync('**/*.sync-conflict-*', { cwd: join(copy, '.git') })) rmSync(join(copy, '.git', path))
    const { status, stdout, stderr } = spawnSync('git', [...SETTINGS, 'fsck', '--connectivity-only', '--no-dangling'], {
      cwd: copy,
      encoding: 'utf8',
      env: environment(),
    })
    return status === 0 ? undefined : `${stdout}${stderr}`.slice(0, 1_000)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** Git without settings of the user or of a repository around. */
function environment(): NodeJS.ProcessEnv {
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')))
  return { ...clean, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
}
