import { apiKeyOf, generateSyncthingHome, hasWayOut, quietConfig } from '../test/support/syncthing.ts'
import { syncthingProgram } from '../test/support/syncthing-program.ts'
import type { Program } from './program.ts'

/** The one of Debian's newer release, or with `TWINFOLD_SYNCTHING=installed` the one that is installed. */
export const syncthing: Program = {
  name: 'syncthing',
  makeHome(home) {
    generateSyncthingHome(home, [])
    quietConfig(home)
  },
  command(home, guiAddress) {
    if (hasWayOut()) throw new Error('a real Syncthing is started only where no network leads out')
    const args = [
      syncthingProgram(),
      'serve',
      `--home=${home}`,
      '--no-browser',
      '--no-restart',
      `--gui-address=${guiAddress}`,
    ]
    // STMONITORED: one process instead of two, so that memory and start time are those of the program itself.
    return { args, env: { ...process.env, HOME: home, STNOUPGRADE: '1', STNODEFAULTFOLDER: '1', STMONITORED: 'yes' } }
  },
  apiKey: apiKeyOf,
}
