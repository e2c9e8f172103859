/**
 * A message to be sent; large data is a separate piece, so that it is not copied. With enough headroom before the data,
 * the rest is written there.
 */
export type Body = readonly [head: Uint8Array, tail?: Uint8Array, headroomBytes?: number | undefined]
