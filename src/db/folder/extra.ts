import type { ShortId } from '../../core/ids.ts'
import type { FileHead, FileTime } from '../../core/records/file-info.ts'

/** Rare fields: all of them are in one column, which is null for most records. */
type Extra = Pick<
  FileHead,
  'previousBlocksHash' | 'platform' | 'encrypted' | 'diskTime' | 'trailerBytes' | 'contestedBy'
>

/** Rows that have only a time, as most pulled files: the fields before it are empty. */
const TIME_ONLY = '   '

/**
 * Each field as base64 after an equals sign, or empty when absent; null for no fields at all. The time of the disk was
 * added later, as `seconds.nanoseconds`, after it the size of the trailer, then `contestedBy` in hexadecimal.
 */
export function extraText(extra: Extra): string | null {
  const { previousBlocksHash, platform, encrypted, diskTime, trailerBytes, contestedBy } = extra
  const hasBytes = previousBlocksHash !== undefined || platform !== undefined || encrypted !== undefined
  if (!hasBytes && contestedBy === undefined) return diskTime === undefined ? null : TIME_ONLY + timeText(diskTime)
  const bytes = [previousBlocksHash, platform, encrypted].map(fieldText)
  const time = diskTime === undefined ? '' : timeText(diskTime)
  return [...bytes, time, trailerBytes ?? '', contestedBy?.toString(16) ?? ''].join(' ').trimEnd()
}

function fieldText(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : `=${Buffer.from(bytes).toString('base64url')}`
}

function timeText({ modifiedS, modifiedNs }: FileTime): string {
  return `${modifiedS}.${modifiedNs}`
}

/** Only for text from `extraText`: the checksum of the row has been verified. */
export function extraOf(text: string): Extra {
  if (text.startsWith(TIME_ONLY) && !text.includes(' ', TIME_ONLY.length))
    return { diskTime: timeOf(text.slice(TIME_ONLY.length)) }
  const [previousBlocksHash = '', platform = '', encrypted = '', diskTime = '', trailer = '', contestedBy = ''] =
    text.split(' ')
  return {
    ...(previousBlocksHash !== '' && { previousBlocksHash: bytesOf(previousBlocksHash) }),
    ...(platform !== '' && { platform: bytesOf(platform) }),
    ...(encrypted !== '' && { encrypted: bytesOf(encrypted) }),
    ...(diskTime !== '' && { diskTime: timeOf(diskTime) }),
    ...(trailer !== '' && { trailerBytes: Number(trailer) }),
    ...(contestedBy !== '' && { contestedBy: BigInt(`0x${contestedBy}`) as ShortId }),
  }
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text.slice(1), 'base64url')
}

function timeOf(text: string): FileTime {
  const dot = text.indexOf('.')
  return { modifiedS: Number(text.slice(0, dot)), modifiedNs: Number(text.slice(dot + 1)) }
}
