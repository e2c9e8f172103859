import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { findLocations } from '../../core/find-locations.ts'
import type { Locations } from '../../core/locations.ts'
import type { DirectoryChoice, ServeRequest } from '../args/serve-options.ts'

/** The locations of the requested home on this machine. */
export function locateHome(
  directories: DirectoryChoice,
  more: Pick<ServeRequest, 'logFile' | 'guiAssetsDirectory'> = {},
): Locations {
  return findLocations({
    ...directories,
    ...(more.logFile !== undefined && { logFile: more.logFile }),
    ...(more.guiAssetsDirectory !== undefined && { guiAssetsDirectory: more.guiAssetsDirectory }),
    platform: process.platform,
    environment: process.env,
    userHome: homedir(),
    workingDirectory: process.cwd(),
    exists: existsSync,
  })
}
