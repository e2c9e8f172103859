import type { DialReason } from '../../src/core/network/dial-failure.ts'
import { isTime } from '../base/moments.ts'

/** The latest attempt at an address, as the daemon reports it. */
interface DialStatus {
  readonly when: string
  readonly error: string | null
  readonly reason?: DialReason
  readonly next?: string
}

/** One address of a device that is not connected. */
export interface Attempt {
  readonly address: string
  /** Empty if it was not dialled yet, or the last attempt succeeded. */
  readonly error: string
  /** The error for programs; undefined where there is none. */
  readonly reason: DialReason | undefined
  /** Not a time if it was not dialled yet. */
  readonly triedMs: number
  /** Not a time if it is not known. */
  readonly nextMs: number
}

/** Every address of a device with its latest attempt: the configured ones, then those that discovery found. */
export function attemptsAt(
  configured: readonly string[],
  found: readonly string[],
  dials: Readonly<Record<string, DialStatus>>,
): readonly Attempt[] {
  const addresses = new Set([...configured.filter((address) => address !== 'dynamic'), ...found])
  return [...addresses].map((address) => {
    const dial = Object.hasOwn(dials, address) ? dials[address] : undefined
    return {
      address,
      error: dial?.error ?? '',
      reason: (dial?.error ?? '') === '' ? undefined : (dial?.reason ?? 'other'),
      triedMs: timeMs(dial?.when),
      nextMs: timeMs(dial?.next),
    }
  })
}

/** Why a device without addresses cannot be dialled. */
export function whyNoAddress(
  configured: readonly string[],
  discovery: { readonly localAnnounceEnabled: boolean; readonly globalAnnounceEnabled: boolean } | undefined,
): 'none' | 'discovery-off' | 'not-found' {
  if (!configured.includes('dynamic')) return 'none'
  return discovery?.localAnnounceEnabled || discovery?.globalAnnounceEnabled ? 'not-found' : 'discovery-off'
}

function timeMs(time: string | undefined): number {
  const ms = Date.parse(time ?? '')
  return isTime(ms) ? ms : Number.NaN
}
