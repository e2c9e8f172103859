import type { StatusJson } from '../../src/rest/system.ts'

/** A listener: its address, and its error if it failed. */
export interface Listener {
  readonly address: string
  /** Empty while it works. */
  readonly error: string
}

/** The actual addresses where the configuration leaves the choice to the system, else the configured ones. */
export function listenersOf(status: StatusJson['connectionServiceStatus']): readonly Listener[] {
  return Object.entries(status).flatMap(([configured, { error, lanAddresses, wanAddresses }]) => {
    if (error !== null) return [{ address: configured, error }]
    const got = new Set([...lanAddresses, ...wanAddresses])
    return [...(got.size === 0 ? [configured] : got)].map((address) => ({ address, error: '' }))
  })
}
