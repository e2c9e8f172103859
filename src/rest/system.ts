/** Types of the routes below /rest/system, /rest/svc and /rest/noauth. */

export interface PingJson {
  readonly ping: 'pong'
}

/** `GET /rest/system/debug`. Every entry of `enabled` is a key of `facilities`. */
export interface DebugJson {
  readonly enabled: readonly string[]
  readonly facilities: Readonly<Record<string, string>>
}

/** `POST /rest/system/debug`: comma-separated names; enabled first, then disabled. */
export interface DebugQuery {
  readonly enable?: string
  readonly disable?: string
}

/** `GET /rest/system/loglevels`. */
export interface LogLevelsJson {
  readonly packages: Readonly<Record<string, string>>
  readonly levels: Readonly<Record<string, string>>
}

/** `GET /rest/system/discovery`, by device id. */
export type DiscoveryJson = Readonly<Record<string, { readonly addresses: readonly string[] }>>

/** `level`: 0 debug, 2 info, 3 warning and above. */
export interface LogLineJson {
  readonly when: string
  readonly message: string
  readonly level: number
}

export interface LogJson {
  readonly messages: readonly LogLineJson[] | null
}

export interface ErrorsJson {
  readonly errors: readonly LogLineJson[] | null
}

export interface VersionJson {
  readonly arch: string
  readonly codename: string
  readonly container: boolean
  readonly date: string
  readonly extra: string
  readonly isBeta: boolean
  readonly isCandidate: boolean
  readonly isRelease: boolean
  readonly longVersion: string
  readonly os: string
  readonly stamp: string
  readonly tags: readonly string[]
  readonly user: string
  readonly version: string
}

export interface StatusJson {
  readonly alloc: number
  readonly connectionServiceStatus: Readonly<
    Record<
      string,
      {
        readonly error: string | null
        readonly lanAddresses: readonly string[]
        readonly wanAddresses: readonly string[]
      }
    >
  >
  readonly cpuPercent: 0
  readonly discoveryEnabled?: boolean
  readonly discoveryErrors?: Readonly<Record<string, string>>
  readonly discoveryMethods?: number
  readonly discoveryStatus?: Readonly<Record<string, { readonly error: string | null }>>
  readonly goroutines: number
  readonly guiAddressOverridden: boolean
  readonly guiAddressUsed: string
  readonly lastDialStatus: Readonly<Record<string, { readonly when: string; readonly error: string | null }>>
  readonly myID: string
  readonly pathSeparator: string
  readonly startTime: string
  readonly sys: number
  readonly tilde: string
  readonly uptime: number
  readonly urVersionMax: 3
}

/** `GET /rest/system/paths`. */
export type PathsJson = Readonly<Record<string, string>>

/** `GET /rest/svc/deviceid`: one of the two. */
export type DeviceIdJson = { readonly id: string } | { readonly error: string }

export interface RandomStringJson {
  readonly random: string
}

export interface HealthJson {
  readonly status: 'OK'
}

/** Body of `POST /rest/noauth/auth/password`. */
export interface LoginBody {
  readonly username: string
  readonly password: string
  readonly stayLoggedIn?: boolean
}
