import type { StatusJson } from '../../src/rest/system.ts'

/** A place where others can reach us, or cannot and why. */
export interface Listener {
  readonly address: string
  /** Empty while it works. */
  readonly error: string
}

/** The addresses that were got where the configuration leaves the choice to the system, else those it names. */
export function listenersOf(status: StatusJson['connectionServiceStatus']): readonly Listener[] {
  return Object.entries(status).flatMap(([configured, { error, lanAddresses, wanAddresses }]) => {
    if (error !== null) return [{ address: configured, error }]
    const got = new Set([...lanAddresses, ...wanAddresses])
    return [...(got.size === 0 ? [configured] : got)].map((address) => ({ address, error: '' }))
  })
}
