import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { apiKeyOf } from '../test/support/syncthing.ts'
import { DAEMON_ENVIRONMENT, DAEMON_FLAGS } from '../tools/choose-node.mjs'
import { testProgram } from '../tools/test-program.ts'
import type { Program } from './program.ts'

const ROOT = join(import.meta.dirname, '..')

/** For a profile of what is measured: `--cpu-prof --cpu-prof-dir=…`. */
function nodeArgs(): readonly string[] {
  return (process.env['TWINFOLD_NODE_ARGS'] ?? '').split(' ').filter(Boolean)
}

/** With which flags and variables a daemon is started. */
interface Launch {
  readonly flags: readonly string[]
  readonly variables: Readonly<Record<string, string>>
}

/** As `npm start` sets it. */
function environment(root: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(ST[A-Z]|NODE_)/.test(name))
  return { ...Object.fromEntries(kept), NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'twinfold') }
}

/** The entry is named by a function: a bundle is built when it is first needed. */
function twinfoldAt(root: string, entry: () => string, { flags, variables }: Launch): Program {
  return {
    name: 'twinfold',
    makeHome(home) {
      const args = [entry(), 'generate', `--home=${home}`, '--no-port-probing']
      const result = spawnSync(process.execPath, args, { encoding: 'utf8', env: environment(root) })
      if (result.status !== 0) throw new Error(`twinfold generate: ${result.stdout}${result.stderr}`)
    },
    command(home, guiAddress) {
      const serve = ['serve', `--home=${home}`, '--no-browser', `--gui-address=${guiAddress}`]
      const env = { ...variables, ...environment(root) }
      return { args: [process.execPath, ...flags, ...nodeArgs(), entry(), ...serve], env }
    },
    apiKey: apiKeyOf,
  }
}

/** The bundle, as all packages and services start it; only the command that npm installs has no flag (decision 014). */
export const twinfold: Program = twinfoldAt(ROOT, testProgram, { flags: DAEMON_FLAGS, variables: DAEMON_ENVIRONMENT })

/** The daemon of a tree from its sources, with what `npm start` gives it there. */
export async function twinfoldOf(root = ROOT): Promise<Program> {
  const chooser = join(root, 'tools', 'choose-node.mjs')
  const found = existsSync(chooser) ? Object(await import(pathToFileURL(chooser).href)) : {}
  const flags: unknown = found.DAEMON_FLAGS
  const variables: object = found.DAEMON_ENVIRONMENT ?? {}
  return twinfoldAt(root, () => join(root, 'src', 'main', 'bin.ts'), {
    flags: Array.isArray(flags) ? flags.map(String) : [],
    variables: Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)])),
  })
}
