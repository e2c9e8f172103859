/** A configuration for the tests of the REST interface, in memory. */
import { DEFAULTS, DEVICE, GUI, LDAP, OPTIONS } from '../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../src/core/config/field.ts'
import type { Config, DeviceConfig, FolderConfig, GuiConfig } from '../../src/core/config/config.ts'
import type { DeviceId, FolderId } from '../../src/core/ids.ts'
import type { ConfigStore } from '../../src/config/types.ts'

export const LOCAL_ID = 'GHKTHBX-CEDWM5C-QIUIPAB-7AUM2LY-TQN2HQB-UH72IDF-7CRKOQP-HC5G4QA' as DeviceId
export const SHORT = LOCAL_ID.slice(0, 7)
export const KEY = 'k2345679abcdefghijkmnopqrstuvwxy'
export const SHARE = 'share' as FolderId

export function fakeConfig(
  gui: Partial<GuiConfig> = {},
  peers: readonly DeviceId[] = [],
  own: Partial<FolderConfig> = {},
): Config {
  const device: DeviceConfig = { ...defaultsOf(DEVICE), deviceID: LOCAL_ID, name: 'alice' }
  const folder: FolderConfig = {
    ...defaultsOf(DEFAULTS).folder,
    id: SHARE,
    label: 'Shared',
    path: '/home/Sync',
    ...own,
  }
  return {
    version: 37,
    folders: [folder],
    devices: [device, ...peers.map((deviceID): DeviceConfig => ({ ...defaultsOf(DEVICE), deviceID }))],
    gui: { ...defaultsOf(GUI), address: '127.0.0.1:8384', apiKey: KEY, ...gui },
    ldap: defaultsOf(LDAP),
    options: { ...defaultsOf(OPTIONS), globalAnnounceEnabled: false, localAnnounceEnabled: false },
    remoteIgnoredDevices: [],
    defaults: defaultsOf(DEFAULTS),
  }
}

/** A config store in memory: changes are applied and published to subscribers, nothing is saved. */
export class FakeConfigStore implements ConfigStore {
  current: Config
  restartRequired = false
  readonly #listeners: ((from: Config, to: Config) => void | Promise<void>)[] = []

  constructor(current: Config) {
    this.current = current
  }

  async change(make: (current: Config) => Config): Promise<Config> {
    const from = this.current
    this.current = make(from)
    for (const listener of this.#listeners) await listener(from, this.current)
    return this.current
  }

  subscribe(listener: (from: Config, to: Config) => void | Promise<void>): void {
    this.#listeners.push(listener)
  }
}

/** In the format of bcrypt, without its cost. */
export function fakeHash(password: string): string {
  return `$2a$10$${Buffer.from(password).toString('hex').padEnd(53, '.').slice(0, 53)}`
}

/** Settings with a password. */
export const WITH_PASSWORD: Partial<GuiConfig> = { user: 'alice', password: fakeHash('s3cret') }
