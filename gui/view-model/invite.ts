/** What another device needs to add this one. */
export interface Invite {
  readonly deviceID: string
  readonly name: string
  readonly addresses: readonly string[]
}

/** A device ID as it is usually written, with or without its groups. */
const DEVICE_ID = /\b[A-Z2-7]{7}(?:[- ]?[A-Z2-7]{7}){7}\b/i
const ADDRESS = /\b(?:tcp[46]?|quic[46]?|relay):\/\/[^\s,;"'<>]+/gi
const NAME = /^\s*(?:Name|Device):\s*(.+?)\s*$/im
const ADDRESSES_MAX = 8

/** An invitation as plain text, so that any messenger carries it and a user can read it. */
export function inviteText({ deviceID, name, addresses }: Invite): string {
  return [`Name: ${name}`, `ID: ${deviceID}`, ...addresses.map((address) => `Address: ${address}`)].join('\n')
}

/** The invitation in a pasted text; undefined where the text holds no ID, or nothing but an ID. */
export function readInvite(text: string): Invite | undefined {
  const found = DEVICE_ID.exec(text)
  if (found === null || text.trim() === found[0]) return undefined
  const addresses = [...new Set(text.match(ADDRESS))].slice(0, ADDRESSES_MAX)
  return { deviceID: found[0], name: NAME.exec(text)?.[1]?.slice(0, 100) ?? '', addresses }
}

/** Of all addresses of this device those that another one can dial. */
export function invitedAddresses(addresses: readonly string[]): readonly string[] {
  return addresses
    .filter((address) => /^(tcp|quic|relay)/.test(address) && !/\/\/(0\.0\.0\.0|\[::\]|127\.|\[::1\]|:)/.test(address))
    .slice(0, ADDRESSES_MAX)
}
