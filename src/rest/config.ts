/** Types of the routes below /rest/config. The parts themselves are those of core/config.ts. */
export type { Config, DeviceConfig, FolderConfig, GuiConfig, LdapConfig, OptionsConfig } from '../core/config.ts'

/** `GET /rest/config/restart-required`. */
export interface RestartRequiredJson {
  readonly requiresRestart: boolean
}

/** `GET /rest/config/insync` and `GET /rest/system/config/insync`. */
export interface InSyncJson {
  readonly configInSync: boolean
}
