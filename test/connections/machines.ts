import assert from 'node:assert/strict'
import { DEFAULTS, DEVICE, GUI, LDAP, OPTIONS } from '../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../src/core/config/field.ts'
import type { Config, DeviceConfig, OptionsConfig } from '../../src/core/config/config.ts'
import { deviceIdFromCertificate } from '../../src/core/device-id.ts'
import type { DeviceId } from '../../src/core/ids.ts'
import { Connections, type ConnectionsDeps } from '../../src/connections/connections.ts'
import type { UnknownDevice } from '../../src/connections/types.ts'
import type { Connection, ProtocolHandler } from '../../src/protocol/types.ts'
import type { Identity } from '../../src/platform/net.ts'
import type { Platform } from '../../src/platform/platform.ts'
import { quietLogger } from '../support/logger.ts'

/** An identity that is valid only in the simulation. */
export function simIdentity(name: string): Identity {
  const body = Buffer.from(`certificate of ${name}`).toString('base64')
  return { certificatePem: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`, keyPem: '' }
}

export function idOf(identity: Identity): DeviceId {
  const body = identity.certificatePem.replace(/-----[^-]*-----/g, '').replace(/\s/g, '')
  return deviceIdFromCertificate(Buffer.from(body, 'base64'))
}

export function deviceConfig(id: DeviceId, settings: Partial<DeviceConfig> = {}): DeviceConfig {
  return { ...defaultsOf(DEVICE), deviceID: id, name: '', addresses: ['dynamic'], numConnections: 1, ...settings }
}

export function configOf(
  own: DeviceId,
  devices: readonly DeviceConfig[],
  options: Partial<OptionsConfig> = {},
): Config {
  return {
    version: 37,
    folders: [],
    devices: [deviceConfig(own, { name: `name of ${own.slice(0, 7)}` }), ...devices],
    gui: defaultsOf(GUI),
    ldap: defaultsOf(LDAP),
    options: { ...defaultsOf(OPTIONS), listenAddresses: [], reconnectionIntervalS: 20, ...options },
    remoteIgnoredDevices: [],
    defaults: defaultsOf(DEFAULTS),
  }
}

/** Accepts all messages and refuses all requests. */
const NULL_HANDLER: ProtocolHandler = {
  clusterConfig: async () => {},
  acceptsIndex: async () => true,
  index: async () => {},
  indexUpdate: async () => {},
  request: async () => ({ kind: 'refused', code: 'generic' }),
  acceptsDownloadProgress: async () => true,
  downloadProgress: async () => {},
}

/** One device reduced to its connections. */
export class Machine {
  readonly id: DeviceId
  readonly connections: Connections
  readonly made: Connection[] = []
  readonly unknownDevices: UnknownDevice[] = []
  readonly log = quietLogger('connections')
  config: Config
  readonly #stop = new AbortController()
  #done: Promise<void> | undefined

  constructor(
    platform: Pick<Platform, 'clock' | 'random' | 'net' | 'httpClient' | 'system'>,
    identity: Identity,
    config: Config,
    deps: Partial<ConnectionsDeps> = {},
  ) {
    this.id = idOf(identity)
    this.config = config
    this.connections = new Connections(
      {
        platform,
        logger: (facility) => (facility === 'connections' ? this.log : quietLogger(facility)),
        onConnection: (connection) => this.#use(connection),
        onUnknownDevice: (device) => void this.unknownDevices.push(device),
        lookup: () => [],
        mapped: () => [],
        onListenAddresses: () => {},
        onNetworkChange: () => {},
        ...deps,
      },
      { config, ownDevice: this.id, identity, clientName: 'twinfold', clientVersion: 'v1.0.0' },
    )
  }

  #use(connection: Connection): void {
    this.made.push(connection)
    void connection.run(NULL_HANDLER)
    void connection.clusterConfig({ folders: [], secondary: false })
  }

  start(): this {
    this.#done = this.connections.run(this.#stop.signal)
    return this
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#done
  }

  change(to: Config): void {
    const from = this.config
    this.config = to
    this.connections.apply(from, to)
  }

  /** The number of connections to a device in the reported status. */
  open(device: DeviceId): number {
    const figures = this.connections.status().devices.get(device)
    return figures === undefined ? 0 : 1 + figures.secondary.length
  }

  /** Connections whose `closed` signal has not aborted. */
  openConnections(): readonly Connection[] {
    return this.made.filter((connection) => !connection.closed.aborted)
  }

  assertConsistent(): void {
    const open = [...this.connections.status().devices.keys()].reduce((sum, id) => sum + this.open(id), 0)
    assert.equal(open, this.openConnections().length)
  }
}
