import { deviceIdFromBytes, parseDeviceId } from '../../core/device-id.ts'
import type { DeviceId } from '../../core/ids.ts'
import type { FileTime } from '../../core/records/file-info.ts'
import { damaged } from '../sqlite/damage.ts'
import type { IndexOwner } from '../types.ts'

/** Own records are filed under this ID, never under that of the certificate. */
const LOCAL_DEVICE = deviceIdFromBytes(new Uint8Array(32).fill(0xff))
const SECONDS_TO_1970 = 62_135_596_800n
const NS_PER_S = 1_000_000_000
const NS_PER_MS = 1e6
const TIME_BYTES_MIN = 13

export function ownerFromText(text: string): IndexOwner {
  const device = parseDeviceId(text)
  return device === LOCAL_DEVICE ? 'local' : device
}

/** Undefined for a text that is no device ID. */
export function deviceFromText(text: string): DeviceId | undefined {
  try {
    return parseDeviceId(text)
  } catch {
    return undefined // a key of another kind
  }
}

/** A stored time: version, seconds since the year 1, nanoseconds, and a zone that does not matter. */
export function storedTime(value: Buffer): FileTime {
  if (value.length < TIME_BYTES_MIN) throw damaged('a time that is too short')
  return { modifiedS: Number(value.readBigInt64BE(1) - SECONDS_TO_1970), modifiedNs: value.readInt32BE(9) }
}

/** 0 for the zero time, which means "never". */
export function storedTimeMs(value: Buffer | undefined): number {
  if (value === undefined) return 0
  const { modifiedS, modifiedNs } = storedTime(value)
  return Math.max(0, modifiedS * 1_000 + Math.floor(modifiedNs / NS_PER_MS))
}

/** A duration in nanoseconds, as milliseconds. */
export function storedDurationMs(value: Buffer | undefined): number {
  return value?.length === 8 ? Number(value.readBigInt64BE()) / NS_PER_MS : 0
}

export function storedNumber(value: Buffer | undefined): number | undefined {
  return value?.length === 8 ? Number(value.readBigInt64BE()) : undefined
}

/** The stored form is inverted: zero is true. */
export function storedBool(value: Buffer | undefined): boolean {
  return value?.[0] === 0
}

/** Nanoseconds since 1970, also before it. */
export function timeFromNs(ns: bigint): FileTime {
  const modifiedNs = Number(((ns % BigInt(NS_PER_S)) + BigInt(NS_PER_S)) % BigInt(NS_PER_S))
  return { modifiedS: Number((ns - BigInt(modifiedNs)) / BigInt(NS_PER_S)), modifiedNs }
}
