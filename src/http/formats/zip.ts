import { promisify } from 'node:util'
import { crc32, deflateRaw } from 'node:zlib'

const deflate = promisify(deflateRaw)
const UTF8_NAMES = 0x0800
const DEFLATED = 8
/** Readable and writable by the owner only, once unpacked. */
const OWNER_ONLY = (0o100600 << 16) >>> 0

export interface ZipFile {
  readonly name: string
  readonly content: Uint8Array | string
}

/** Streams a zip archive. Each file is held in memory once, the archive never. */
export async function* zip(files: AsyncIterable<ZipFile>, timeMs: number): AsyncGenerator<Uint8Array> {
  const directory: Uint8Array[] = []
  let offsetBytes = 0
  for await (const { name, content } of files) {
    const plain = typeof content === 'string' ? Buffer.from(content) : content
    const packed = await deflate(plain)
    const label = Buffer.from(name)
    const about = aboutFile(timeMs, plain, packed, label)
    const head = Buffer.concat([number32(0x04034b50), about, label])
    directory.push(
      Buffer.concat([
        number32(0x02014b50),
        number16(0x0314),
        about,
        number16(0),
        number16(0),
        number16(0),
        number32(OWNER_ONLY),
        number32(offsetBytes),
        label,
      ]),
    )
    yield head
    yield packed
    offsetBytes += head.length + packed.length
  }
  const listing = Buffer.concat(directory)
  const count = number16(directory.length)
  yield Buffer.concat([
    listing,
    number32(0x06054b50),
    number16(0),
    number16(0),
    count,
    count,
    number32(listing.length),
    number32(offsetBytes),
    number16(0),
  ])
}

/** The common part of a local file header and its entry in the central directory. */
function aboutFile(timeMs: number, plain: Uint8Array, packed: Uint8Array, label: Uint8Array): Uint8Array {
  const at = new Date(timeMs)
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >>> 1)
  const day = (Math.max(0, at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  return Buffer.concat([
    number16(20),
    number16(UTF8_NAMES),
    number16(DEFLATED),
    number16(time),
    number16(day),
    number32(crc32(plain)),
    number32(packed.length),
    number32(plain.length),
    number16(label.length),
    number16(0),
  ])
}

function number16(value: number): Uint8Array {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value & 0xffff)
  return bytes
}

function number32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value >>> 0)
  return bytes
}
