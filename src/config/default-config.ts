import type { Config } from '../core/config/config.ts'
import { CONFIG_VERSION, DEFAULTS, GUI, LDAP, OPTIONS, defaultsOf } from '../core/config/config-fields.ts'
import { NOTE_PASSWORD } from '../core/config/config-prepare.ts'

/**
 * The configuration of a new home. Private: it announces itself to nobody, uses no foreign servers, reports nothing
 * and looks for no updates until its owner says so.
 */
export function defaultConfig(): Config {
  return {
    version: CONFIG_VERSION,
    folders: [],
    devices: [],
    gui: defaultsOf(GUI),
    ldap: defaultsOf(LDAP),
    options: {
      ...defaultsOf(OPTIONS),
      globalAnnounceEnabled: false,
      localAnnounceEnabled: false,
      relaysEnabled: false,
      natEnabled: false,
      startBrowser: false,
      urAccepted: -1,
      autoUpgradeIntervalH: 0,
      crashReportingEnabled: false,
      stunKeepaliveStartS: 0,
      unackedNotificationIDs: [NOTE_PASSWORD],
    },
    remoteIgnoredDevices: [],
    defaults: defaultsOf(DEFAULTS),
  }
}
