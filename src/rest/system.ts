import { BOOLEAN, COUNT, NUMBER, TEXT, TIME, described, list, map, nullable, object, type Static } from './schema.ts'

/** Schemas of the routes below /rest/system, /rest/svc and /rest/noauth. */

/** Every entry of `enabled` is a key of `facilities`. */
export const DEBUG = object({ enabled: list(TEXT), facilities: map(TEXT) })

export type DebugJson = Static<typeof DEBUG>

export const LOG_LEVELS = object({ packages: map(TEXT), levels: map(TEXT) })

export type LogLevelsJson = Static<typeof LOG_LEVELS>

/** By device id. */
export const DISCOVERY = map(object({ addresses: list(TEXT) }))

export type DiscoveryJson = Static<typeof DISCOVERY>

const LOG_LINE = object({
  when: TIME,
  message: TEXT,
  level: described(
    { anyOf: [COUNT, { enum: ['DBG', 'INF', 'WRN', 'ERR'] }] } as const,
    '0 debug, 2 info, 3 warning and above; in a home that Syncthing 2.x made, a name as there.',
  ),
})

export type LogLineJson = Static<typeof LOG_LINE>

export const LOG = object({ messages: nullable(list(LOG_LINE)) })

export type LogJson = Static<typeof LOG>

export const ERRORS = object({ errors: nullable(list(LOG_LINE)) })

export type ErrorsJson = Static<typeof ERRORS>

export const VERSION = object({
  arch: TEXT,
  codename: TEXT,
  container: BOOLEAN,
  date: TIME,
  extra: TEXT,
  isBeta: BOOLEAN,
  isCandidate: BOOLEAN,
  isRelease: BOOLEAN,
  longVersion: TEXT,
  os: TEXT,
  stamp: TEXT,
  tags: list(TEXT),
  user: TEXT,
  version: TEXT,
})

export type VersionJson = Static<typeof VERSION>

/** Why an address did not lead to a connection. */
export const DIAL_STATUS_REASONS = [
  'bad-address',
  'disabled',
  'name-not-found',
  'network-not-allowed',
  'not-a-device',
  'not-added',
  'not-on-relay',
  'other',
  'proxy',
  'refused',
  'rejected',
  'timeout',
  'unreachable',
  'unsupported',
  'wrong-device',
] as const

/** `reason` and `next` are additions of Twinfold: the error for programs, and the time of the next attempt. */
const DIAL_STATUS = object(
  {
    when: TIME,
    error: nullable(TEXT),
    reason: { enum: DIAL_STATUS_REASONS },
    next: TIME,
  },
  ['reason', 'next'],
)

export const STATUS = object(
  {
    alloc: COUNT,
    connectionServiceStatus: map(object({ error: nullable(TEXT), lanAddresses: list(TEXT), wanAddresses: list(TEXT) })),
    cpuPercent: NUMBER,
    discoveryEnabled: BOOLEAN,
    discoveryErrors: map(TEXT),
    discoveryMethods: COUNT,
    discoveryStatus: map(object({ error: nullable(TEXT) })),
    goroutines: COUNT,
    guiAddressOverridden: BOOLEAN,
    guiAddressUsed: TEXT,
    lastDialStatus: map(DIAL_STATUS),
    myID: TEXT,
    pathSeparator: TEXT,
    startTime: TIME,
    sys: COUNT,
    tilde: TEXT,
    uptime: COUNT,
    urVersionMax: { const: 3 },
  },
  ['discoveryEnabled', 'discoveryErrors', 'discoveryMethods', 'discoveryStatus'],
)

export type StatusJson = Static<typeof STATUS>

export const PATHS = map(TEXT)

export type PathsJson = Static<typeof PATHS>

/** One of the two. */
export const DEVICE_ID = { anyOf: [object({ id: TEXT }), object({ error: TEXT })] } as const

export const RANDOM_STRING = object({ random: TEXT })

export const LOGIN_BODY = object({ username: TEXT, password: TEXT, stayLoggedIn: BOOLEAN }, ['stayLoggedIn'])
