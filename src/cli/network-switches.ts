import type { OptionsConfig } from '../core/config/config.ts'

/** One kind of traffic to other hosts, with its switch in the options. Only switches that have an effect. */
export interface NetworkSwitch {
  readonly name: string
  /** Which party receives which data when it is on. */
  readonly meaning: string
  /** Part of `twinfold network on` without names. */
  readonly findsDevices: boolean
  isOn(options: OptionsConfig): boolean
  set(on: boolean): Partial<OptionsConfig>
}

/** Of `network servers`. */
export const SERVER_KINDS = ['discovery', 'relays'] as const
export type ServerKind = (typeof SERVER_KINDS)[number]

const UPGRADE_CHECK_INTERVAL_H = 12

export const NETWORK_SWITCHES: readonly NetworkSwitch[] = [
  {
    name: 'local',
    meaning: 'Every host of the local network learns the ID and addresses of this device; it finds others there',
    findsDevices: true,
    isOn: (options) => options.localAnnounceEnabled,
    set: (on) => ({ localAnnounceEnabled: on }),
  },
  {
    name: 'global',
    meaning: 'Discovery servers learn the ID and addresses of this device, and the IDs of devices it looks for',
    findsDevices: true,
    isOn: (options) => options.globalAnnounceEnabled,
    set: (on) => ({ globalAnnounceEnabled: on }),
  },
  {
    name: 'relays',
    meaning: 'Relay servers learn addresses and times of connections, and pass on encrypted data they cannot read',
    findsDevices: true,
    isOn: (options) => options.relaysEnabled,
    set: (on) => ({ relaysEnabled: on }),
  },
  {
    name: 'nat',
    meaning: 'The router is asked to forward a port to this device; then any host can try to connect to it',
    findsDevices: true,
    isOn: (options) => options.natEnabled,
    set: (on) => ({ natEnabled: on }),
  },
  {
    name: 'upgrade-checks',
    meaning: 'The npm registry is asked every 12 hours for newer releases; nothing is installed',
    findsDevices: false,
    isOn: (options) => options.autoUpgradeIntervalH > 0,
    set: (on) => ({ autoUpgradeIntervalH: on ? UPGRADE_CHECK_INTERVAL_H : 0 }),
  },
]
