import type { ConfigStore } from '../config/types.ts'
import type { OptionsConfig } from '../core/config/config.ts'
import type { Logger } from '../events/types.ts'

/** Logs which functions contact other hosts, at the start and after a change: a home of another program has some on. */
export function logNetworkUse(config: ConfigStore, log: Logger): void {
  let logged = ''
  const update = (): void => {
    const used = networkUses(config.current.options).join(', ')
    if (used !== logged && used !== '') log.info(`switched on: ${used}; "twinfold network" shows who learns what`)
    else if (used !== logged) log.info('discovery, relays and port mapping are switched off')
    logged = used
  }
  config.subscribe(async () => update())
  update()
}

function networkUses(options: OptionsConfig): readonly string[] {
  return [
    ...(options.localAnnounceEnabled ? ['local discovery'] : []),
    ...(options.globalAnnounceEnabled ? ['discovery servers'] : []),
    ...(options.relaysEnabled ? ['relays'] : []),
    ...(options.natEnabled ? ['port mapping'] : []),
  ]
}
