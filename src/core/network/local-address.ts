import { parseIp } from './ip.ts'

/**
 * Whether the machine no longer has an address from which a connection was made: nothing arrives on it any more. An
 * empty list of addresses means that they cannot be listed.
 */
export function isAddressGone(host: string | undefined, present: readonly { readonly address: string }[]): boolean {
  const ip = parseIp(host ?? '')
  if (ip === undefined || present.length === 0) return false
  const isLoopback = ip.family === 4 && ip.value >> 24n === 127n // a whole network, of which one address is listed
  return !isLoopback && !present.some(({ address }) => parseIp(address)?.value === ip.value)
}
