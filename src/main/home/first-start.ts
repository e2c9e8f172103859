import { systemCode } from '../../core/errors.ts'
import type { Config } from '../../core/config/config.ts'
import type { HttpServer } from '../../platform/http.ts'

const GUI_PORT = 8384
const SYNC_PORT = 22000
/** How many ports are tried before the default is used and the bind reports the error. */
const PORTS_TRIED_MAX = 100

/** The default ports if they are free, else the next free ones, so that two devices can run on one machine. */
export async function withFreePorts(config: Config, http: HttpServer): Promise<Config> {
  const guiPort = await freePort(http, GUI_PORT)
  const syncPort = await freePort(http, SYNC_PORT)
  const listenAddresses =
    syncPort === SYNC_PORT
      ? config.options.listenAddresses
      : [`tcp://0.0.0.0:${syncPort}`, `quic://0.0.0.0:${syncPort}`]
  return {
    ...config,
    gui: { ...config.gui, address: `127.0.0.1:${guiPort}` },
    options: { ...config.options, listenAddresses },
  }
}

async function freePort(http: HttpServer, first: number): Promise<number> {
  for (let port = first; port < first + PORTS_TRIED_MAX; port++) {
    try {
      await using _probe = await http.listen({ address: `127.0.0.1:${port}` }, () => ({ status: 503, headers: {} }))
      return port
    } catch (error) {
      if (systemCode(error) !== 'EADDRINUSE') return first
    }
  }
  return first
}
