import { TwinfoldError } from '../errors.ts'
import { isLoopback, parseIp } from '../network/ip.ts'
import { addressLabel } from '../redact-address.ts'

const PUBLIC_REGISTRY = 'https://registry.npmjs.org/twinfold'
/** The default in configurations of Syncthing. It lists releases of Syncthing, which do not apply here. */
const SYNCTHING_RELEASES = 'https://upgrades.syncthing.net/meta.json'

/**
 * The release list: the address of the package in an npm registry, from `releasesURL`, or the public one.
 * Throws `config-invalid` for an address that is not https; only loopback may be used without TLS.
 */
export function releaseSource(releasesUrl: string): string {
  const text = releasesUrl.trim()
  if (text === '' || text === SYNCTHING_RELEASES) return PUBLIC_REGISTRY
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackHost(url.hostname)))) {
    throw new TwinfoldError(
      'config-invalid',
      `releasesURL ${addressLabel(text)}: must be the https address of a package in an npm registry`,
    )
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new TwinfoldError('config-invalid', 'releasesURL: user, password, query and fragment are not supported')
  }
  return url.href.replace(/\/+$/, '')
}

function isLoopbackHost(host: string): boolean {
  const ip = parseIp(host.replace(/^\[|\]$/g, ''))
  return ip === undefined ? host === 'localhost' : isLoopback(ip)
}
