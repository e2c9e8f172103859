import type { FileHead } from '../core/file-info.ts'

/** What few records have: all of it is in one column, which is null for all others. */
type Extra = Pick<FileHead, 'previousBlocksHash' | 'platform' | 'encrypted'>

/** Each field as base64 behind an equals sign, or nothing where there is none; null for no fields at all. */
export function extraText({ previousBlocksHash, platform, encrypted }: Extra): string | null {
  if (previousBlocksHash === undefined && platform === undefined && encrypted === undefined) return null
  return [previousBlocksHash, platform, encrypted].map(fieldText).join(' ')
}

function fieldText(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : `=${Buffer.from(bytes).toString('base64url')}`
}

/** Only for what `extraText` wrote: the checksum of the row has been compared. */
export function extraOf(text: string): Extra {
  const [previousBlocksHash, platform, encrypted] = text.split(' ').map(fieldOf)
  return {
    ...(previousBlocksHash === undefined ? {} : { previousBlocksHash }),
    ...(platform === undefined ? {} : { platform }),
    ...(encrypted === undefined ? {} : { encrypted }),
  }
}

function fieldOf(text: string): Uint8Array | undefined {
  return text === '' ? undefined : Buffer.from(text.slice(1), 'base64url')
}
