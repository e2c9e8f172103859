import { join } from 'node:path'
import { Passwords } from '../../config/password.ts'
import { openConfig, type OpenedConfig } from '../../config/store.ts'
import { messageOf, TwinfoldError } from '../../core/errors.ts'
import type { DeviceId } from '../../core/ids.ts'
import type { Locations } from '../../core/locations.ts'
import type { Logger } from '../../events/types.ts'
import type { Platform } from '../../platform/platform.ts'
import { runDaemon } from '../daemon.ts'
import { ensureHome, loadOrMakeIdentity } from '../home/identity.ts'
import { findLocations } from '../../core/find-locations.ts'
import { EXIT } from '../args/options.ts'

const QUIET: Logger = { facility: 'main', debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** A device of the demonstration before its start: keys and configuration exist and can be completed. */
export interface DemoHome {
  readonly name: string
  /** Everything of this device is below it: home, folders, and folders that the user adds on its page. */
  readonly directory: string
  readonly locations: Locations
  readonly id: DeviceId
  readonly config: OpenedConfig
}

export async function makeDemoHome(platform: Platform, directory: string, name: string): Promise<DemoHome> {
  const { disk, clock, random, system } = platform
  const locations = findLocations({
    home: join(directory, '.twinfold'),
    logFile: 'default',
    platform: system.platform,
    environment: {},
    userHome: directory,
    workingDirectory: directory,
    exists: () => false,
  })
  await ensureHome(disk, locations)
  const { deviceId } = await loadOrMakeIdentity(platform, locations)
  const passwords = new Passwords({ hasher: platform.passwords, random, clock, log: QUIET })
  const config = await openConfig(
    { disk, clock, random, passwords, log: QUIET },
    { path: locations.configFile, ownDevice: deviceId, hostName: name, allowNewer: false },
  )
  return { name, directory, locations, id: deviceId, config }
}

/** Where a running device is reached. */
export interface DemoAddresses {
  readonly page: string
  readonly sync: string
}

/**
 * A whole device in this process. The system chooses its ports, and they stay the same when it is restarted from its
 * page, so that the page and the other devices can reconnect.
 */
export class DemoDevice {
  readonly home: DemoHome
  readonly #platform: Platform
  readonly #page = Promise.withResolvers<string>()
  readonly #sync = Promise.withResolvers<string>()
  #pageAddress: string
  #syncPort = 0

  constructor(platform: Platform, home: DemoHome, port: number) {
    this.home = home
    this.#pageAddress = `127.0.0.1:${port}`
    this.#platform = this.#noticing(platform)
    for (const { promise } of [this.#page, this.#sync]) promise.catch(() => {}) // reported by their readers
  }

  /** Resolves once it responds; rejects when it cannot start. */
  async addresses(): Promise<DemoAddresses> {
    const [page, sync] = await Promise.all([this.#page.promise, this.#sync.promise])
    return { page, sync }
  }

  /** Runs until the signal aborts or the device is shut down from its page; a restart from there is carried out. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      let restart = true
      while (restart && !signal.aborted) restart = (await this.#runOnce(signal)) === EXIT.restart
      this.#fail(new TwinfoldError('stopped', `${this.home.name} was stopped`))
    } catch (error) {
      this.#fail(error)
      throw error
    }
  }

  #runOnce(signal: AbortSignal): Promise<number> {
    const options = {
      locations: this.home.locations,
      guiAddress: this.#pageAddress,
      allowNewerConfig: false,
      openBrowser: false,
      portProbing: false,
      paused: false,
      unpaused: false,
      upgradesAllowed: false,
      trace: '',
      logLevel: 'INFO',
      logFormat: 'text',
      versionExtra: '',
    } as const
    return runDaemon(this.#platform, options, signal)
  }

  #fail(error: unknown): void {
    this.#page.reject(error)
    this.#sync.reject(error)
  }

  /** The same platform, with hooks on the two listeners of the device. */
  #noticing(platform: Platform): Platform {
    return {
      ...platform,
      // Two devices of one process must not use the proxies of the environment.
      system: { ...platform.system, hostName: this.home.name, environment: () => undefined },
      http: {
        listen: async (options, handler) => {
          try {
            const listener = await platform.http.listen(options, handler)
            this.#pageAddress = listener.address
            this.#page.resolve(`http://${listener.address}/`)
            return listener
          } catch (error) {
            const reason = `the page of ${this.home.name} cannot be at ${options.address}: ${messageOf(error)}`
            this.#page.reject(new TwinfoldError('port-taken', `${reason}; choose another --port`, { cause: error }))
            throw error
          }
        },
      },
      net: {
        ...platform.net,
        listenTls: async (options, onStream) => {
          const listener = await platform.net.listenTls({ ...options, port: options.port || this.#syncPort }, onStream)
          this.#syncPort = listener.port
          this.#sync.resolve(`tcp://127.0.0.1:${listener.port}`)
          return listener
        },
      },
    }
  }
}
