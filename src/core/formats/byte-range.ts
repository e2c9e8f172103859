/** What a request wants of a representation. */
export type WantedRange =
  | { readonly kind: 'whole' }
  /** The bytes from `fromBytes` up to and without `toBytes`. */
  | { readonly kind: 'part'; readonly fromBytes: number; readonly toBytes: number }
  | { readonly kind: 'unsatisfiable' }

const WHOLE: WantedRange = { kind: 'whole' }
/** Enough for every offset that is a safe integer; longer numbers are beyond the end of any file. */
const ONE_RANGE = /^bytes=[\t ]*(\d{0,15})-(\d{0,15})[\t ]*$/i

/**
 * The header `Range` (RFC 9110, 14.2). A header that is malformed, has another unit or several ranges is ignored, which
 * the specification permits: the reply is then the whole representation.
 */
export function parseRange(header: string | undefined, sizeBytes: number): WantedRange {
  const [, first = '', last = ''] = ONE_RANGE.exec(header ?? '') ?? []
  if (first === '' && last === '') return WHOLE
  if (first === '') return suffixOf(Number(last), sizeBytes)
  const fromBytes = Number(first)
  if (last !== '' && Number(last) < fromBytes) return WHOLE
  if (fromBytes >= sizeBytes) return { kind: 'unsatisfiable' }
  const toBytes = last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes)
  return { kind: 'part', fromBytes, toBytes }
}

function suffixOf(lengthBytes: number, sizeBytes: number): WantedRange {
  if (lengthBytes === 0 || sizeBytes === 0) return { kind: 'unsatisfiable' }
  return { kind: 'part', fromBytes: Math.max(0, sizeBytes - lengthBytes), toBytes: sizeBytes }
}
