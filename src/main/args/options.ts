import type { Locations } from '../../core/locations.ts'
import type { TrustedProxies } from '../../core/network/trusted-proxies.ts'

/** The options of `twinfold serve` from flags and environment. */
export interface ServeOptions {
  readonly locations: Locations
  /** A set-up file that is applied before the interface listens. */
  readonly applyFile?: string
  /** Overrides the configured address; also decides whether TLS is used (`https://`, `unixs://`). */
  readonly guiAddress?: string
  /** Whether a new home may listen beyond loopback without a password. */
  readonly openGuiAllowed?: boolean
  /** Valid in addition to the configured key. */
  readonly guiApiKey?: string
  readonly trustedProxies?: TrustedProxies
  readonly allowNewerConfig: boolean
  readonly openBrowser: boolean
  /** Whether the first start searches for free ports. */
  readonly portProbing: boolean
  readonly paused: boolean
  readonly unpaused: boolean
  readonly upgradesAllowed: boolean
  /** Keeps the index in memory only: for simulated devices. */
  readonly databaseInMemory?: boolean
  readonly audit?: string
  /** Facilities whose debug lines are on from the start, as `STTRACE` spells them. */
  readonly trace: string
  readonly logLevel: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR'
  readonly logFormat: 'text' | 'json'
  /** A log file beyond this size is rotated; 0 disables rotation. */
  readonly logMaxSizeBytes?: number
  /** How many rotated log files are kept. */
  readonly logMaxOldFiles?: number
  /** Added to the version line by programs that wrap us (`STVERSIONEXTRA`). */
  readonly versionExtra: string
}

/** Exit codes that service managers and wrappers rely on. */
export const EXIT = { success: 0, error: 1, noUpgrade: 2, restart: 3, upgrade: 4 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
