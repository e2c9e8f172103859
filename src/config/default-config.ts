import type { Config } from '../core/config/config.ts'
import { CONFIG_VERSION, DEFAULTS, GUI, LDAP, OPTIONS } from '../core/config/config-fields.ts'
import { defaultsOf } from '../core/config/field.ts'
import { NOTE_NETWORK, NOTE_PASSWORD } from '../core/config/notes.ts'

/**
 * The configuration of a new home. Private by default: no announcements, no third-party servers, no usage reports and
 * no update checks until the user enables them.
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
      unackedNotificationIDs: [NOTE_PASSWORD, NOTE_NETWORK],
    },
    remoteIgnoredDevices: [],
    defaults: defaultsOf(DEFAULTS),
  }
}
