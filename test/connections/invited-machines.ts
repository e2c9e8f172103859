import { Invitations } from '../../src/config/invitations.ts'
import { Inviting } from '../../src/config/inviting.ts'
import { EXTENSIONS } from '../../src/core/config/extensions.ts'
import type { Config, FolderConfig, OptionsConfig } from '../../src/core/config/config.ts'
import { FOLDER } from '../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../src/core/config/field.ts'
import type { DeviceId, FolderId } from '../../src/core/ids.ts'
import type { InvitationGate } from '../../src/connections/types.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimDisk } from '../../src/platform/sim/disk.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { createSimPlatform } from '../../src/platform/sim/platform.ts'
import { SimRandom } from '../../src/platform/sim/random.ts'
import { quietLogger } from '../support/logger.ts'
import { configOf, deviceConfig, idOf, Machine, simIdentity } from './machines.ts'

const PATH = '/home/twinfold-invitations.json'
export const PHOTOS = 'photos' as FolderId

interface MachineSettings {
  readonly options?: Partial<OptionsConfig>
  readonly known?: readonly DeviceId[]
  readonly folders?: readonly FolderId[]
  /** Of its wall clock. */
  readonly skewMs?: number
  readonly gate?: Partial<InvitationGate>
}

/** Devices on a simulated network, reduced to connections, configuration and invitations. */
export class InvitedMachines {
  readonly clock = new SimClock()
  readonly network = new SimNetwork(this.clock, { delayMs: 2 })
  readonly #all: Machine[] = []

  /** `host` is its address and its identity. */
  async add(host: string, settings: MachineSettings = {}): Promise<InvitedMachine> {
    const { options, known = [], folders = [], skewMs = 0, gate } = settings
    const number = this.#all.length + 1
    const identity = simIdentity(host)
    const own = idOf(identity)
    const base = configOf(
      own,
      [...known].map((id) => deviceConfig(id)),
      {
        listenAddresses: [`tcp://${host}:22000`],
        ...options,
      },
    )
    const config = {
      ...base,
      folders: folders.map((id): FolderConfig => ({ ...defaultsOf(FOLDER), id, path: `/${id}` })),
    }
    const disk = new SimDisk(this.clock)
    disk.put('/home/config.xml', '')
    const log = quietLogger('config')
    const clock = { nowMs: () => this.clock.nowMs() + skewMs }
    const store = {
      get current(): Config {
        return machine.config
      },
      change: async (make: (current: Config) => Config): Promise<Config> => {
        machine.change(make(machine.config))
        return machine.config
      },
    }
    const open = () => Invitations.open({ disk, clock, config: store, log }, { path: PATH, ownDevice: own })
    let invitations = await open()
    const invitationGate: InvitationGate = {
      proofFor: (party) => invitations.proofFor(party),
      redeem: (party, hello) => invitations.redeem(party, hello),
      accepted: (device) => invitations.accepted(device),
      ...gate,
    }
    const platform = createSimPlatform(number, { clock: this.clock, network: this.network, hostName: host })
    const machine: Machine = new Machine(platform, identity, config, { invitations: invitationGate })
    const random = new SimRandom(number)
    const inviting = () =>
      new Inviting(
        {
          clock,
          random,
          config: store,
          extensions: { change: async () => EXTENSIONS },
          invitations,
          addresses: () => machine.connections.addresses(),
          checkFolder: async (path) => ({ path, problem: null, warnings: [], exists: false, freeBytes: null }),
          reconnect: (device) => machine.connections.reconnect(device),
        },
        { ownDevice: own, userHome: '/home' },
      )
    this.#all.push(machine.start())
    await this.pass(10)
    return {
      machine,
      id: own,
      disk,
      log,
      get inviting() {
        return inviting()
      },
      get invitations() {
        return invitations
      },
      reopen: async () => {
        invitations = await open()
      },
      shares: (device) =>
        machine.config.folders
          .filter((folder) => folder.devices.some((share) => share.deviceID === device))
          .map(({ id }) => id),
      isKnown: (device) => machine.config.devices.some(({ deviceID }) => deviceID === device),
    }
  }

  async pass(ms: number): Promise<void> {
    await settle()
    await this.clock.advance(ms, settle)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const stopping = Promise.all(this.#all.map((machine) => machine.stop()))
    await this.pass(30_000)
    await stopping
  }
}

export interface InvitedMachine {
  readonly machine: Machine
  readonly id: DeviceId
  readonly disk: SimDisk
  readonly log: { readonly lines: string[] }
  readonly inviting: Inviting
  readonly invitations: Invitations
  /** Reads the stored invitations anew, as after a restart. */
  reopen(): Promise<void>
  shares(device: DeviceId): readonly FolderId[]
  isKnown(device: DeviceId): boolean
}

async function settle(): Promise<void> {
  for (let round = 0; round < 8; round++) await new Promise((resolve) => setImmediate(resolve))
}
