/**
 * A folder under src/ that logs is a facility; its name is the log prefix and the debug switch.
 * The list is part of the REST interface: it holds exactly these eighteen, in this order.
 */
export const FACILITIES = {
  beacon: 'Multicast and broadcast discovery',
  config: 'Configuration loading and saving',
  connections: 'Connection handling',
  db: 'The database layer',
  dialer: 'Dialing connections',
  discover: 'Remote device discovery',
  events: 'Event generation and logging',
  http: 'The REST API',
  main: 'The main package: start, stop and wiring',
  model: 'The root hub: folders, indexes and transfers',
  protocol: 'The device-to-device protocol',
  relay: 'Relay connection handling',
  scanner: 'File change detection and hashing',
  stats: 'Persistent device and folder statistics',
  sync: 'Mutexes and schedules',
  upgrade: 'Binary upgrades',
  upnp: 'UPnP discovery and port mapping',
  versioner: 'File versioning',
} as const satisfies Record<string, string>

export type Facility = keyof typeof FACILITIES

export const FACILITY_NAMES = Object.keys(FACILITIES) as readonly Facility[]

/** Names that older versions use for the same facilities. Accepted as input, never listed. */
const ALIASES: Readonly<Record<string, Facility>> = {
  api: 'http',
  app: 'main',
  backend: 'db',
  fs: 'scanner',
  nat: 'upnp',
  pmp: 'upnp',
  stun: 'connections',
  ur: 'stats',
  walkfs: 'scanner',
  watchaggregator: 'model',
}

/** The facility for a name as users type it; undefined for an unknown name. */
export function parseFacility(text: string): Facility | undefined {
  const name = text.trim()
  if (Object.hasOwn(FACILITIES, name)) return name as Facility
  return Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined
}
