import type { Invitations } from '../config/invitations.ts'
import type { ConfigStore, ExtensionStore } from '../config/types.ts'
import { Connections } from '../connections/connections.ts'
import type { Config } from '../core/config/config.ts'
import { addressParts } from '../core/network/address-parts.ts'
import { redactAddress } from '../core/redact-address.ts'
import { Discovery } from '../discover/discovery.ts'
import type { Facility } from '../core/facilities.ts'
import type { DeviceId } from '../core/ids.ts'
import type { IndexStore } from '../db/types.ts'
import type { EventBus } from '../events/bus.ts'
import type { Logger } from '../events/types.ts'
import { Completions } from '../model/queries/completion.ts'
import { Peers } from '../model/peers/peers.ts'
import { Pending } from '../model/peers/pending.ts'
import { Sharing } from '../model/sharing.ts'
import type { ModelSignals } from '../model/signals.ts'
import type { FolderRates } from '../model/state/folder-rates.ts'
import type { FolderRoots } from '../model/state/folder-roots.ts'
import type { DeviceRecord, Statistics } from '../stats/stats.ts'
import type { Service } from '../sync/supervisor.ts'
import type { Identity } from '../platform/net.ts'
import type { Platform } from '../platform/platform.ts'
import { PortMapping } from '../upnp/port-mapping.ts'
import { DeviceNames } from './device-names.ts'

const CLIENT_NAME = 'twinfold'

export interface NetworkDeps {
  readonly platform: Platform
  readonly store: IndexStore
  readonly events: EventBus
  readonly statistics: Statistics
  readonly config: ConfigStore
  readonly extensions: Pick<ExtensionStore, 'change'>
  readonly invitations?: Invitations
  logger(facility: Facility): Logger
  readonly signals: ModelSignals
  readonly roots: FolderRoots
  readonly folderRates?: FolderRates
}

export interface NetworkOptions {
  readonly ownDevice: DeviceId
  readonly identity: Identity
  readonly clientVersion: string
  readonly userHome: string
}

/** Everything that exchanges data with other devices: connections, peers, index updates. */
export class Network {
  readonly pending: Pending
  readonly peers: Peers
  readonly connections: Connections
  readonly discovery: Discovery
  readonly portMapping: PortMapping
  readonly completions: Completions
  readonly #deps: NetworkDeps
  readonly #sharing: Sharing

  private constructor(deps: NetworkDeps, { ownDevice, identity, clientVersion, userHome }: NetworkOptions) {
    const { platform, store, events, statistics, logger } = deps
    const config = deps.config.current
    const log = logger('model')
    this.#deps = deps
    this.pending = new Pending({ clock: platform.clock, keyValue: store.keyValue, events, log }, config)
    this.#sharing = new Sharing(
      {
        disk: platform.disk,
        log,
        config: deps.config,
        extensions: deps.extensions,
        pending: (device, offers) => this.pending.foldersOffered(device, offers),
      },
      { ownDevice, userHome },
    )
    const names = new DeviceNames(deps.config, logger('main'))
    this.peers = new Peers(
      {
        clock: platform.clock,
        random: platform.random,
        disk: platform.disk,
        folderKeys: platform.folderKeys,
        blocks: platform.blocks,
        platform: platform.system.platform,
        ...(deps.folderRates !== undefined && { folderRates: deps.folderRates }),
        store,
        events,
        statistics,
        log,
        signals: deps.signals,
        roots: deps.roots,
        foldersOffered: (device, offers) =>
          this.pending.foldersOffered(device, this.#sharing.undecided(device, offers)),
        onClusterConfig: (device, message, offers) => this.#sharing.onClusterConfig(device, message, offers),
        nameDevice: (device, name) => names.set(device, name),
      },
      { config, ownDevice },
    )
    this.connections = new Connections(
      {
        platform,
        logger,
        onConnection: (connection) => this.peers.attach(connection),
        onUnknownDevice: (unknown) => this.pending.onUnknownDevice(unknown),
        invitations: deps.invitations,
        lookup: (device) => this.discovery.lookup(device),
        onListenAddresses: (listener, { lanAddresses: lan, wanAddresses: wan }) => {
          events.emit('ListenAddressesChanged', {
            address: addressParts(redactAddress(listener)),
            lan: lan.map(addressParts),
            wan: wan.map(addressParts),
          })
          this.discovery.addressesChanged()
          this.portMapping.listenersChanged()
        },
        mapped: (listener) => this.portMapping.addressesOf(listener),
        onNetworkChange: () => this.portMapping.networkChanged(),
      },
      { config, ownDevice, identity, clientName: CLIENT_NAME, clientVersion },
    )
    this.discovery = this.#makeDiscovery({ ownDevice, identity })
    this.portMapping = this.#makePortMapping({ ownDevice, identity })
    this.completions = new Completions(
      {
        store,
        events,
        log,
        config: () => deps.config.current,
        remoteState: (device, folder) => this.peers.remoteState(device, folder),
        downloadedBytes: (device, folder) => this.peers.downloadedBytes(device, folder),
      },
      ownDevice,
    )
    deps.signals.summaryPublished.listen((folder) => this.completions.touch(folder))
  }

  static async open(deps: NetworkDeps, options: NetworkOptions): Promise<Network> {
    const network = new Network(deps, options)
    await network.pending.load()
    return network
  }

  #makeDiscovery({ ownDevice, identity }: Pick<NetworkOptions, 'ownDevice' | 'identity'>): Discovery {
    return new Discovery(
      {
        platform: this.#deps.platform,
        logger: this.#deps.logger,
        addresses: () => this.connections.addresses(),
        onFound: (device, addresses) => {
          this.#deps.events.emit('DeviceDiscovered', { device, addrs: [...addresses] })
        },
        isConnected: (device) => this.connections.isConnected(device),
        onAnnounced: (device) => this.connections.deviceFound(device),
        onLookedUp: (device) => this.connections.deviceLookedUp(device),
        onMethodsChanged: () => this.connections.discoveryChanged(),
        onNetworkChange: () => this.connections.checkNetwork(),
      },
      { config: this.#deps.config.current, ownDevice, identity },
    )
  }

  #makePortMapping({ ownDevice, identity }: Pick<NetworkOptions, 'ownDevice' | 'identity'>): PortMapping {
    const { platform, logger, config } = this.#deps
    return new PortMapping(
      {
        platform,
        log: logger('upnp'),
        listeners: () => this.connections.listeners.open,
        onChanged: () => this.connections.listeners.addressesChanged(),
      },
      { config: config.current, ownDevice, secret: identity.keyPem },
    )
  }

  /** In the order in which they start. */
  get services(): readonly Service[] {
    return [this.peers, this.discovery, this.connections, this.portMapping, this.completions]
  }

  /** Runs before the folders apply a new configuration. */
  async release(to: Config): Promise<void> {
    await this.peers.release(to)
  }

  /** Runs after the folders have applied it. */
  async apply(from: Config, to: Config): Promise<void> {
    this.pending.apply(to)
    this.connections.apply(from, to)
    this.discovery.apply(to)
    this.portMapping.apply(to)
    await this.peers.apply(from, to)
  }

  /** When each configured device was last connected. */
  async deviceStatistics(): Promise<ReadonlyMap<DeviceId, DeviceRecord>> {
    const entries = this.#deps.config.current.devices.map(
      async ({ deviceID }) => [deviceID, await this.#deps.statistics.device(deviceID)] as const,
    )
    return new Map(await Promise.all(entries))
  }
}
