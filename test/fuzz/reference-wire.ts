const VARINT_BYTES_MAX = 10

/**
 * Whether a field at the top of a protobuf message claims more bytes than follow it; by a short reader of its own.
 * What it does not read, such as groups, counts as no overrun.
 */
export function hasOverrun(message: Uint8Array): boolean {
  let at = 0
  const varint = (): bigint | undefined => {
    let value = 0n
    for (let index = 0; index < VARINT_BYTES_MAX; index++) {
      const byte = message[at++]
      if (byte === undefined) return undefined
      value |= BigInt(byte & 0x7f) << BigInt(7 * index)
      if (byte < 0x80) return value
    }
    return undefined
  }
  while (at < message.length) {
    const tag = varint()
    const type = tag === undefined ? undefined : Number(tag & 7n)
    if (type === 0) varint()
    else if (type === 1) at += 8
    else if (type === 5) at += 4
    else if (type !== 2) return false
    else {
      const length = varint()
      if (length === undefined) return false
      if (length > BigInt(message.length - at)) return true
      at += Number(length)
    }
  }
  return false
}
