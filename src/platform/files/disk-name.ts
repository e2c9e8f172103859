import type { DiskName } from '../disk.ts'

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** What `U+FFFD` in a decoded name means: the bytes may have been no UTF-8, look at them. */
export const REPLACEMENT = '\ufffd'

/**
 * The name that these bytes spell. Bytes that are no UTF-8 give a text for people, each bad byte as `\xNN` and a
 * backslash doubled: two such names differ as their bytes do, but the text is not a name to open anything by.
 */
export function nameFromBytes(bytes: Uint8Array): DiskName {
  try {
    return { name: strict.decode(bytes), valid: true }
  } catch {
    return { name: escapeBytes(bytes), valid: false } // the decoder throws for this one reason
  }
}

function escapeBytes(bytes: Uint8Array): string {
  let text = ''
  for (let start = 0; start < bytes.length;) {
    const lengthBytes = characterLength(bytes, start)
    if (lengthBytes > 0) text += strict.decode(bytes.subarray(start, start + lengthBytes)).replace('\\', '\\\\')
    else text += `\\x${(bytes[start] ?? 0).toString(16).padStart(2, '0')}`
    start += Math.max(1, lengthBytes)
  }
  return text
}

/** Bytes of the character that begins here; 0 where none does. */
function characterLength(bytes: Uint8Array, start: number): number {
  for (let lengthBytes = 1; lengthBytes <= 4 && start + lengthBytes <= bytes.length; lengthBytes++) {
    try {
      strict.decode(bytes.subarray(start, start + lengthBytes))
      return lengthBytes
    } catch {
      // not whole yet, or never will be: one byte more tells
    }
  }
  return 0
}
