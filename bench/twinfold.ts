import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { apiKeyOf } from '../test/support/syncthing.ts'
import { DAEMON_FLAGS } from '../tools/choose-node.mjs'
import { testProgram } from '../tools/test-program.ts'
import type { Program } from './program.ts'

const ROOT = join(import.meta.dirname, '..')

/** For a profile of what is measured: `--cpu-prof --cpu-prof-dir=…`. */
function nodeArgs(): readonly string[] {
  return (process.env['TWINFOLD_NODE_ARGS'] ?? '').split(' ').filter(Boolean)
}

/** As `npm start` sets it. */
function environment(root: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(ST[A-Z]|NODE_)/.test(name))
  return { ...Object.fromEntries(kept), NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'twinfold') }
}

/** The entry is named by a function: a bundle is built when it is first needed. */
function twinfoldAt(root: string, entry: () => string, daemonFlags: readonly string[]): Program {
  return {
    name: 'twinfold',
    makeHome(home) {
      const args = [entry(), 'generate', `--home=${home}`, '--no-port-probing']
      const result = spawnSync(process.execPath, args, { encoding: 'utf8', env: environment(root) })
      if (result.status !== 0) throw new Error(`twinfold generate: ${result.stdout}${result.stderr}`)
    },
    command(home, guiAddress) {
      const serve = ['serve', `--home=${home}`, '--no-browser', `--gui-address=${guiAddress}`]
      return { args: [process.execPath, ...daemonFlags, ...nodeArgs(), entry(), ...serve], env: environment(root) }
    },
    apiKey: apiKeyOf,
  }
}

/** The bundle, as all packages and services start it; only the command that npm installs has no flag (decision 014). */
export const twinfold: Program = twinfoldAt(ROOT, testProgram, DAEMON_FLAGS)

/** The daemon of a tree from its sources, with the flags that `npm start` gives it there. */
export async function twinfoldOf(root = ROOT): Promise<Program> {
  const chooser = join(root, 'tools', 'choose-node.mjs')
  const flags: unknown = existsSync(chooser) ? (await import(pathToFileURL(chooser).href)).DAEMON_FLAGS : undefined
  return twinfoldAt(root, () => join(root, 'src', 'main', 'bin.ts'), Array.isArray(flags) ? flags.map(String) : [])
}
