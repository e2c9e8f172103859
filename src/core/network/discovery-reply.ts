const ADDRESSES_MAX = 128
const ADDRESS_LENGTH_MAX = 2_048
const SECONDS_MAX = 24 * 3_600

/** The addresses in the reply of a discovery server; undefined if it is not one. */
export function parseLookupReply(body: Uint8Array): readonly string[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || !('addresses' in value)) return undefined
  const { addresses } = value
  if (!Array.isArray(addresses)) return addresses === null ? [] : undefined
  const texts = addresses.filter(
    (one): one is string => typeof one === 'string' && one !== '' && one.length <= ADDRESS_LENGTH_MAX,
  )
  return [...new Set(texts.map((text) => text.trim()))].slice(0, ADDRESSES_MAX).toSorted()
}

/** The seconds in a `Retry-After` or `Reannounce-After` header, at most a day; undefined if there are none. */
export function headerSeconds(value: string | undefined): number | undefined {
  if (value === undefined || !/^\s*\d{1,9}\s*$/.test(value)) return undefined
  const seconds = Number(value)
  return seconds > 0 ? Math.min(seconds, SECONDS_MAX) : undefined
}
