import { readFile, realpath } from 'node:fs/promises'
import { noHome, type Connection } from '../../cli/context.ts'
import { endpointText, parseEndpoint, type Endpoint } from '../../client/endpoint.ts'
import { nodeTransport, runningAddress, type Trust } from '../../client/node.ts'
import { Client } from '../../client/client.ts'
import { readBounded, readConfig } from '../../config/config-file.ts'
import type { GuiConfig } from '../../core/config/config.ts'
import { messageOf, systemCode, TwinfoldError } from '../../core/errors.ts'
import { nodeDisk } from '../../platform/node/disk/disk.ts'
import type { DaemonChoice } from '../args/serve-options.ts'
import { locateHome } from './home.ts'
import type { Locations } from '../../core/locations.ts'

/** A daemon as its home describes it: its address and API key. */
interface Found {
  readonly endpoint: Endpoint
  readonly trust: Trust
  readonly apiKey: string
  readonly home: string | undefined
}

/**
 * Finds the daemon that a command is meant for: by address and key when both are given, else by the home, whose address
 * and key either of them overrides. A running daemon may have written another address than the configured one. Does not
 * check whether it runs.
 */
export async function findDaemon(choice: DaemonChoice): Promise<Found> {
  const { guiAddress, guiApiKey } = choice
  if (guiAddress !== undefined && guiApiKey !== undefined) {
    const endpoint = parseEndpoint(guiAddress, { useTls: false })
    return { endpoint, trust: 'any', apiKey: guiApiKey, home: undefined }
  }
  const locations = locateHome(choice.directories)
  const gui = await readGui(locations)
  const address = guiAddress ?? (await runningAddress(locations.addressFile))
  if (!gui.enabled && address === undefined) {
    throw noHome(`the GUI and its REST interface are switched off in ${locations.configFile}; commands cannot connect`)
  }
  const endpoint = parseEndpoint(address ?? gui.address, { useTls: gui.useTLS })
  const certificatePem = endpoint.secure ? await readIfThere(locations.httpsCertificateFile) : undefined
  return {
    endpoint,
    trust: certificatePem === undefined ? 'any' : { certificatePem },
    apiKey: guiApiKey ?? gui.apiKey,
    home: locations.configDirectory,
  }
}

export async function connectDaemon(choice: DaemonChoice): Promise<Connection> {
  const { endpoint, trust, apiKey, home } = await findDaemon(choice)
  const client = new Client({ transport: nodeTransport(endpoint, { trust }), apiKey })
  return { client, address: endpointText(endpoint), home }
}

async function readGui(locations: Locations): Promise<GuiConfig> {
  const gui = await readGuiOf(locations)
  if (gui !== undefined) return gui
  const remedy = 'start a daemon there with "twinfold serve", or name the home of the running one with --home'
  throw noHome(`there is no config.xml in ${locations.configDirectory}; ${remedy}`)
}

/** The GUI settings of a home; undefined without a configuration. */
export function readGuiIfThere(directories: DaemonChoice['directories']): Promise<GuiConfig | undefined> {
  return readGuiOf(locateHome(directories))
}

async function readGuiOf(locations: Locations): Promise<GuiConfig | undefined> {
  const data = await realpath(locations.configFile)
    .then((path) => readBounded(nodeDisk, path))
    .catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT') return undefined
      throw new TwinfoldError('config-invalid', `${locations.configFile} cannot be read: ${messageOf(error)}`, {
        cause: error,
      })
    })
  return data === undefined ? undefined : readConfig(data, true).document.config.gui
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    return undefined // without it any certificate is accepted, as for an address given by hand
  }
}
