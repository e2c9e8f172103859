import { messageOf, TwinfoldError } from '../errors.ts'
import { deviceIdBytes, parseDeviceId } from '../device-id.ts'

/** A server of global discovery, from an entry of `globalAnnounceServers`. */
export interface DiscoveryServer {
  /** Without options. Also the name of the server in the status. */
  readonly url: string
  /** SHA-256 of the only certificate that is accepted. */
  readonly pin?: Uint8Array
  /** Any certificate is accepted. */
  readonly isInsecure: boolean
  readonly announces: boolean
  readonly looksUp: boolean
}

const LOOKUP = 'https://discovery-lookup.syncthing.net/v2/?noannounce'
const ANNOUNCE_V4 = 'https://discovery-announce-v4.syncthing.net/v2/?nolookup'
const ANNOUNCE_V6 = 'https://discovery-announce-v6.syncthing.net/v2/?nolookup'
/** The public servers of the Syncthing project. */
const DEFAULTS: Readonly<Record<string, readonly string[]>> = {
  default: [LOOKUP, ANNOUNCE_V4, ANNOUNCE_V6],
  'default-v4': [LOOKUP, ANNOUNCE_V4],
  'default-v6': [LOOKUP, ANNOUNCE_V6],
}

/** The addresses of servers, the names of the default ones expanded. */
export function expandServers(entries: readonly string[]): readonly string[] {
  return [...new Set(entries.flatMap((entry) => (Object.hasOwn(DEFAULTS, entry) ? DEFAULTS[entry]! : [entry])))]
}

/** Throws `bad-request` with the reason. */
export function parseDiscoveryServer(text: string): DiscoveryServer {
  if (!URL.canParse(text)) throw bad('it is not a URL')
  const url = new URL(text)
  const isOn = (name: string): boolean => url.searchParams.has(name) && url.searchParams.get(name) !== 'false'
  const id = url.searchParams.get('id')
  const [isInsecure, noAnnounce, noLookup] = [isOn('insecure') || id !== null, isOn('noannounce'), isOn('nolookup')]
  if (url.protocol === 'http:') {
    if (!isInsecure) throw bad('http without insecure not supported')
    if (!noAnnounce) throw bad('http without noannounce not supported')
  } else if (url.protocol !== 'https:') throw bad(`unsupported scheme ${url.protocol.slice(0, -1)}`)
  if (url.username !== '' || url.password !== '') throw bad('a user or password in the address is not supported')
  url.search = ''
  url.hash = ''
  return {
    url: url.href,
    ...(id !== null && { pin: pinOf(id) }),
    isInsecure,
    announces: !noAnnounce,
    looksUp: !noLookup,
  }
}

function pinOf(id: string): Uint8Array {
  try {
    return deviceIdBytes(parseDeviceId(id))
  } catch (error) {
    throw bad(`the id of the server is wrong: ${messageOf(error)}`)
  }
}

function bad(reason: string): TwinfoldError {
  return new TwinfoldError('bad-request', reason)
}
