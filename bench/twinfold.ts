import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { apiKeyOf } from '../test/support/syncthing.ts'
import { DAEMON_FLAGS } from '../tools/choose-node.mjs'
import type { Program } from './program.ts'

const ENTRY = join(import.meta.dirname, '..', 'src', 'main', 'bin.ts')

const CACHE = join(import.meta.dirname, '..', 'node_modules', '.cache', 'twinfold')

/** For a profile of what is measured: `--cpu-prof --cpu-prof-dir=…`. */
function nodeArgs(): readonly string[] {
  return (process.env['TWINFOLD_NODE_ARGS'] ?? '').split(' ').filter(Boolean)
}

/** As `npm start` sets it. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(ST[A-Z]|NODE_)/.test(name))
  return { ...Object.fromEntries(kept), NODE_COMPILE_CACHE: CACHE }
}

export const twinfold: Program = {
  name: 'twinfold',
  makeHome(home) {
    const args = [ENTRY, 'generate', `--home=${home}`, '--no-port-probing']
    const result = spawnSync(process.execPath, args, { encoding: 'utf8', env: environment() })
    if (result.status !== 0) throw new Error(`twinfold generate: ${result.stdout}${result.stderr}`)
  },
  command(home, guiAddress) {
    const args = [
      process.execPath,
      ...DAEMON_FLAGS,
      ...nodeArgs(),
      ENTRY,
      'serve',
      `--home=${home}`,
      '--no-browser',
      `--gui-address=${guiAddress}`,
    ]
    return { args, env: environment() }
  },
  apiKey: apiKeyOf,
}
