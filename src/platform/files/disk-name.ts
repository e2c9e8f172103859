import type { DiskName } from '../disk.ts'

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** `U+FFFD` in a decoded name: the bytes may be invalid UTF-8 and must be checked. */
export const REPLACEMENT = '\ufffd'

/**
 * Decodes a name. Bytes that are no UTF-8 yield a text for display, each invalid byte as `\xNN` and a backslash
 * doubled: such texts differ as their bytes do, but cannot be used to open the item.
 */
export function nameFromBytes(bytes: Uint8Array): DiskName {
  try {
    return { name: strict.decode(bytes), valid: true }
  } catch {
    return { name: escapeBytes(bytes), valid: false } // the decoder throws for no other reason
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

/** Length of the character that starts here; 0 where none does. */
function characterLength(bytes: Uint8Array, start: number): number {
  for (let lengthBytes = 1; lengthBytes <= 4 && start + lengthBytes <= bytes.length; lengthBytes++) {
    try {
      strict.decode(bytes.subarray(start, start + lengthBytes))
      return lengthBytes
    } catch {
      // incomplete or invalid: the next byte decides
    }
  }
  return 0
}
