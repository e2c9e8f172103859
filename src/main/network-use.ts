import type { ConfigStore } from '../config/types.ts'
import type { OptionsConfig } from '../core/config/config.ts'
import { NOTE_NETWORK } from '../core/config/notes.ts'
import type { Logger } from '../events/types.ts'

/**
 * Logs which functions contact other hosts, at the start and after a change: a home of another program has some on. A
 * new home, whose owner has not decided yet, logs how other devices are found.
 */
export function logNetworkUse(
  config: ConfigStore,
  log: Logger,
  { upgradesAllowed }: { readonly upgradesAllowed: boolean },
): void {
  let logged = ''
  const update = (): void => {
    const used = networkUses(config.current.options, upgradesAllowed).join(', ')
    if (used !== logged && used !== '') log.info(`switched on: ${used}; "twinfold network" shows who learns what`)
    else if (used !== logged) log.info('discovery, relays, port mapping and upgrade checks are switched off')
    logged = used
  }
  config.subscribe(async () => update())
  update()
  if (logged === '' && config.current.options.unackedNotificationIDs.includes(NOTE_NETWORK)) log.info(UNDECIDED)
}

const UNDECIDED =
  'discovery is off: this device finds others at configured addresses only; "twinfold network on local" finds those ' +
  'of the local network'

function networkUses(options: OptionsConfig, upgradesAllowed: boolean): readonly string[] {
  return [
    ...(options.localAnnounceEnabled ? ['local discovery'] : []),
    ...(options.globalAnnounceEnabled ? ['discovery servers'] : []),
    ...(options.relaysEnabled ? ['relays'] : []),
    ...(options.natEnabled ? ['port mapping'] : []),
    ...(upgradesAllowed && options.autoUpgradeIntervalH > 0 ? ['upgrade checks'] : []),
  ]
}
