import { crc32, deflateSync } from 'node:zlib'

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
const ONE_BIT_GREY = Uint8Array.of(1, 0, 0, 0, 0)

const MODULE_PIXELS = 8
const WHITE = 0xff

/** A black-and-white image of square modules, 8 pixels each: with one bit per pixel a module is a byte of a row. */
export function encodeModules(modules: readonly (readonly boolean[])[]): Uint8Array {
  const rowBytes = 1 + modules.length
  const rows = new Uint8Array(modules.length * MODULE_PIXELS * rowBytes) // each row starts with a zero: no filter
  for (const [y, line] of modules.entries()) {
    const row = Uint8Array.from([0, ...line.map((isBlack) => (isBlack ? 0 : WHITE))])
    for (let i = 0; i < MODULE_PIXELS; i++) rows.set(row, (y * MODULE_PIXELS + i) * rowBytes)
  }
  const size = modules.length * MODULE_PIXELS
  return pngFile(size, size, ONE_BIT_GREY, rows)
}

/** An image from its rows, each with a leading filter byte; the format is that of the PNG header. */
export function pngFile(width: number, height: number, format: Uint8Array, rows: Uint8Array): Uint8Array {
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', Buffer.concat([number32(width), number32(height), format])),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', new Uint8Array()),
  ])
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  return Buffer.concat([number32(data.length), body, number32(crc32(body))])
}

function number32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
