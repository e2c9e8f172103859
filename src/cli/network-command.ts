import type { OptionsConfig } from '../core/config/config.ts'
import type { Client } from '../client/client.ts'
import { CLI_EXIT, type CliContext, type CliExit } from './context.ts'
import { tableLines } from './table.ts'

/** One kind of traffic to other hosts, with its switch in the options. */
export interface NetworkSwitch {
  /** The name of the flag. */
  readonly name: string
  /** Which party receives which data when it is on. */
  readonly meaning: string
  isOn(options: OptionsConfig): boolean
  set(on: boolean): Partial<OptionsConfig>
}

const UPGRADE_CHECK_INTERVAL_H = 12
const STUN_KEEPALIVE_START_S = 180
const USAGE_REPORT_VERSION = 3
const USAGE_REPORT_DECLINED = -1

export const NETWORK_SWITCHES: readonly NetworkSwitch[] = [
  {
    name: 'discovery',
    meaning: 'Announces the addresses of this device to discovery servers on the Internet, and queries those of others',
    isOn: (options) => options.globalAnnounceEnabled,
    set: (on) => ({ globalAnnounceEnabled: on }),
  },
  {
    name: 'local-discovery',
    meaning: 'Announces this device in the local network and listens for others',
    isOn: (options) => options.localAnnounceEnabled,
    set: (on) => ({ localAnnounceEnabled: on }),
  },
  {
    name: 'relays',
    meaning: 'Connects through relay servers when no direct connection is possible; they see addresses, not content',
    isOn: (options) => options.relaysEnabled,
    set: (on) => ({ relaysEnabled: on }),
  },
  {
    name: 'nat',
    meaning: 'Requests a port mapping from the router (UPnP)',
    isOn: (options) => options.natEnabled,
    set: (on) => ({ natEnabled: on }),
  },
  {
    name: 'stun',
    meaning: 'Queries STUN servers on the Internet for the public address of this device',
    isOn: (options) => options.stunKeepaliveStartS > 0,
    set: (on) => ({ stunKeepaliveStartS: on ? STUN_KEEPALIVE_START_S : 0 }),
  },
  {
    name: 'usage-reports',
    meaning: 'Sends anonymous usage reports',
    isOn: (options) => options.urAccepted > 0,
    set: (on) => ({ urAccepted: on ? USAGE_REPORT_VERSION : USAGE_REPORT_DECLINED, urSeen: USAGE_REPORT_VERSION }),
  },
  {
    name: 'crash-reports',
    meaning: 'Sends crash reports',
    isOn: (options) => options.crashReportingEnabled,
    set: (on) => ({ crashReportingEnabled: on }),
  },
  {
    name: 'upgrade-checks',
    meaning: 'Queries the npm registry every 12 hours for newer releases; nothing is installed',
    isOn: (options) => options.autoUpgradeIntervalH > 0,
    set: (on) => ({ autoUpgradeIntervalH: on ? UPGRADE_CHECK_INTERVAL_H : 0 }),
  },
]

/** Sets switches and shows all of them. `wanted` holds those to set, by name. */
export async function network(
  context: CliContext,
  client: Client,
  wanted: ReadonlyMap<string, boolean>,
  flags: { readonly json?: boolean },
): Promise<CliExit> {
  const change = NETWORK_SWITCHES.reduce<Partial<OptionsConfig>>((changes, each) => {
    const on = wanted.get(each.name)
    return on === undefined ? changes : { ...changes, ...each.set(on) }
  }, {})
  if (Object.keys(change).length > 0) await client.changeOptions(change)
  const options = await client.options()
  if (flags.json) {
    context.print(
      JSON.stringify(Object.fromEntries(NETWORK_SWITCHES.map((each) => [each.name, each.isOn(options)])), undefined, 2),
    )
    return CLI_EXIT.done
  }
  const rows = NETWORK_SWITCHES.map((each) => [each.name, each.isOn(options) ? 'on' : 'off', each.meaning])
  const columns = [{ title: 'SWITCH' }, { title: 'STATE' }, { title: 'WHEN IT IS ON', shrink: 'end' }] as const
  for (const line of tableLines(columns, rows, context.columns)) context.print(line)
  if (await client.restartRequired()) context.print(`Restart the daemon to apply all changes.`)
  return CLI_EXIT.done
}
