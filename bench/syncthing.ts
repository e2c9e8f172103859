import { apiKeyOf, generateSyncthingHome, hasWayOut, quietConfig } from '../test/support/syncthing.ts'
import type { Program } from './program.ts'

/** Debian's build, which is older than the one people download: a neighbour, not the yardstick. */
export const syncthing: Program = {
  name: 'syncthing',
  makeHome(home) {
    generateSyncthingHome(home, [])
    quietConfig(home)
  },
  command(home, guiAddress) {
    if (hasWayOut()) throw new Error('a real Syncthing is started only where no network leads out')
    const words = ['syncthing', 'serve', `--home=${home}`, '--no-browser', '--no-restart', `--gui-address=${guiAddress}`]
    // STMONITORED: one process instead of two, so that memory and start time are those of the program itself.
    return { words, env: { ...process.env, HOME: home, STNOUPGRADE: '1', STNODEFAULTFOLDER: '1', STMONITORED: 'yes' } }
  },
  apiKey: apiKeyOf,
}
