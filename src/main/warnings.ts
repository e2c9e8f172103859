import { foldersAroundHome, type ProtectedHome } from '../config/home-folders.ts'
import type { ConfigStore } from '../config/types.ts'
import type { Config } from '../core/config/config.ts'
import type { Locations } from '../core/locations.ts'
import type { Logger } from '../events/types.ts'
import type { DeviceWarning } from '../http/types.ts'
import type { Disk } from '../platform/disk.ts'
import { openPageAddress } from './home/open-page.ts'

/** Logged only: it is no setting. */
export const ROOT_WARNING =
  'running as root: a fault, or anybody with the API key, can change every file of this machine; ' +
  'use an ordinary user, who has access to the folders only'

export interface WarningOptions {
  readonly locations: Locations
  readonly guiAddress?: string
}

export function protectedHome({ configDirectory, dataDirectory, userHome }: Locations): ProtectedHome {
  return { directories: [...new Set([configDirectory, dataDirectory])], userHome }
}

/** Logs each warning once: at the start, and when a change of the configuration causes it; lasting ones first. */
export async function logWarnings(
  config: ConfigStore,
  current: () => Promise<readonly DeviceWarning[]>,
  log: Logger,
  lasting: readonly string[] = [],
): Promise<void> {
  for (const message of lasting) log.warn(message)
  const logged = new Set<string>()
  const update = async () => {
    const found = await current()
    for (const { message, remedy } of found) if (!logged.has(message)) log.warn(`${message}; ${remedy}`)
    logged.clear()
    for (const { message } of found) logged.add(message)
  }
  config.subscribe(update)
  await update()
}

/** Settings that put the device or its data at risk, each with its remedy. */
export async function deviceWarnings(
  disk: Pick<Disk, 'realPath'>,
  { gui, folders }: Config,
  { locations, guiAddress }: WarningOptions,
): Promise<readonly DeviceWarning[]> {
  const open = gui.insecureAdminAccess ? undefined : openPageAddress(gui, guiAddress)
  const around = await foldersAroundHome(disk, folders, protectedHome(locations))
  return [
    ...(open === undefined ? [] : [openPage(open)]),
    ...around.map(({ id, path }) => ({
      code: 'folder-contains-home' as const,
      message: `folder "${id}" (${path}) contains the home of this device, whose private key it shares`,
      remedy: `ignore ${locations.configDirectory} in the folder, share a smaller directory, or move the home`,
    })),
  ]
}

function openPage(address: string): DeviceWarning {
  return {
    code: 'gui-open',
    message: `the page on ${address} is open to everybody who reaches it, because no password is set`,
    remedy: 'set a user name and a password in the settings, or listen on 127.0.0.1',
  }
}
