/** Protobuf by hand, for messages that no honest encoder would make. Zeros and empty texts are left out, as usual. */

function varint(value: number | bigint): Uint8Array {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return Uint8Array.from([...bytes, Number(rest)])
}

export function numberField(number: number, value: number | bigint): Uint8Array {
  return BigInt(value) === 0n ? new Uint8Array(0) : Buffer.concat([varint(number * 8), varint(value)])
}

export function bytesField(number: number, value: Uint8Array | string): Uint8Array {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value
  return bytes.length === 0 ? bytes : Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes])
}

export function block({
  offset,
  size,
  hash,
}: {
  readonly offset: number | bigint
  readonly size: number | bigint
  readonly hash: Uint8Array
}): Uint8Array {
  return Buffer.concat([numberField(1, offset), numberField(2, size), bytesField(3, hash)])
}
