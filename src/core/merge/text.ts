/** Files up to this size are kept as bases and merged. */
export const MERGE_SIZE_BYTES_MAX = 1_024 * 1_024

const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The content as text, of which the same bytes can be made; undefined for what is not valid UTF-8, or has a NUL. */
export function textOf(content: Uint8Array): string | undefined {
  if (content.length > MERGE_SIZE_BYTES_MAX || content.includes(0)) return undefined
  try {
    return STRICT.decode(content)
  } catch {
    return undefined
  }
}
