const POLYNOMIAL = 0x82f63b78
/** Made when it is first used: few starts read LevelDB. */
let madeTable: Uint32Array | undefined

function makeTable(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let sum = byte
    for (let bit = 0; bit < 8; bit++) sum = (sum & 1) === 0 ? sum >>> 1 : (sum >>> 1) ^ POLYNOMIAL
    return sum
  })
}

/** CRC-32C of `start` to `end`, rotated and offset as LevelDB stores it. */
export function maskedChecksum(data: Uint8Array, start: number, end: number): number {
  const table = (madeTable ??= makeTable())
  let sum = 0xffffffff
  for (let at = start; at < end; at++) sum = (table[(sum ^ data[at]!) & 0xff] ?? 0) ^ (sum >>> 8)
  const plain = ~sum >>> 0
  return (((plain >>> 15) | (plain << 17)) + 0xa282ead8) >>> 0
}
