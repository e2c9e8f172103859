import { apiKeyOf, generateSyncthingHome, hasWayOut, quietConfig, runSyncthing } from '../test/support/syncthing.ts'
import { syncthingProgram } from '../test/support/syncthing-program.ts'
import type { Program } from './program.ts'
import type { ProgramName } from './rows.ts'

/** What `--syncthing` names instead of a path: the one of Debian, or what `TWINFOLD_SYNCTHING` chooses. */
export const DEBIAN = 'debian'

/** A Syncthing of 1.x or 2.x, with all that its name in the table says. */
export function syncthingAt(path: string, name: ProgramName): Program {
  return {
    name,
    makeHome(home) {
      generateSyncthingHome(home, [], path)
      quietConfig(home)
    },
    command(home, guiAddress) {
      if (hasWayOut()) throw new Error('a real Syncthing is started only where no network leads out')
      const args = [path, 'serve', `--home=${home}`, '--no-browser', '--no-restart', `--gui-address=${guiAddress}`]
      // STMONITORED: one process instead of two, so that memory and start time are those of the program itself.
      return { args, env: { ...process.env, HOME: home, STNOUPGRADE: '1', STNODEFAULTFOLDER: '1', STMONITORED: 'yes' } }
    },
    apiKey: apiKeyOf,
  }
}

export interface FoundSyncthing {
  readonly path: string
  /** The line that it prints as its version; undefined: it cannot be run. */
  readonly version: string | undefined
}

export function findSyncthing(chosen: string): FoundSyncthing {
  const path = chosen === DEBIAN ? syncthingProgram() : chosen
  const { code, output } = runSyncthing(['--version'], [], path)
  return { path, version: code === 0 ? output.trim() : undefined }
}

/** A name for each, by the versions that they print; a second program of the same version gets a number. */
export function syncthingNames(versions: readonly string[]): readonly ProgramName[] {
  const names: ProgramName[] = []
  for (const version of versions) {
    const name: ProgramName = `syncthing ${/^syncthing v(\S+)/.exec(version)?.[1] ?? '?'}`
    const equal = names.filter((known) => known === name || known.startsWith(`${name} (`)).length
    names.push(equal === 0 ? name : `${name} (${equal + 1})`)
  }
  return names
}
