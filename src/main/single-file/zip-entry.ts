import { createReadStream, createWriteStream } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { crc32, createInflateRaw } from 'node:zlib'
import { systemCode, TwinfoldError } from '../../core/errors.ts'

// Of zip archives as `npm run release` writes them. The programs of Windows do not suffice: another tar, such as that
// of Git, may come first in the path and reads no zip archives.

const END = { signature: 0x06054b50, sizeBytes: 22, commentBytesMax: 65_535 } as const
const DIRECTORY = { signature: 0x02014b50, sizeBytes: 46, bytesMax: 1_024 * 1_024 } as const
const LOCAL = { signature: 0x04034b50, sizeBytes: 30 } as const
const DEFLATED = 8
/** More than any executable has, less than any disk. */
const ENTRY_BYTES_MAX = 1_024 * 1_024 * 1_024

interface Entry {
  readonly offset: number
  readonly packedBytes: number
  readonly sizeBytes: number
  readonly checksum: number
}

/** Writes the entry of this name into a new file. Throws `upgrade-failed` if there is none, or if it is damaged. */
export async function extractZipEntry(archive: string, name: string, to: string): Promise<void> {
  await using file = await open(archive, 'r')
  const entry = await findEntry(file, name)
  const local = await readAt(file, entry.offset, LOCAL.sizeBytes)
  if (local.readUInt32LE(0) !== LOCAL.signature) throw damaged(`${name} has no header`)
  const start = entry.offset + LOCAL.sizeBytes + local.readUInt16LE(26) + local.readUInt16LE(28)
  let [sizeBytes, checksum] = [0, 0]
  // A range of no bytes cannot be named, and no program is empty.
  const packed = createReadStream(archive, { start, end: start + entry.packedBytes - 1 })
  async function* checked(parts: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    for await (const part of parts) {
      sizeBytes += part.length
      if (sizeBytes > entry.sizeBytes) throw damaged(`${name} is larger than stated`)
      checksum = crc32(part, checksum)
      yield part
    }
  }
  await pipeline(packed, createInflateRaw(), checked, createWriteStream(to, { flags: 'wx' })).catch(
    (error: unknown) => {
      throw systemCode(error)?.startsWith('Z_') ? damaged(`${name} cannot be unpacked`) : error
    },
  )
  if (sizeBytes !== entry.sizeBytes || checksum !== entry.checksum) throw damaged(`${name} has another checksum`)
}

async function findEntry(file: FileHandle, name: string): Promise<Entry> {
  const directory = await readDirectory(file)
  const wanted = Buffer.from(name)
  for (let at = 0; at + DIRECTORY.sizeBytes <= directory.length;) {
    if (directory.readUInt32LE(at) !== DIRECTORY.signature) throw damaged('its list of files cannot be read')
    const nameBytes = directory.readUInt16LE(at + 28)
    const found = directory.subarray(at + DIRECTORY.sizeBytes, at + DIRECTORY.sizeBytes + nameBytes)
    if (found.equals(wanted)) return entryAt(directory, at, name)
    at += DIRECTORY.sizeBytes + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
  throw new TwinfoldError('upgrade-failed', `the archive has no program at ${name}; nothing was changed`)
}

function entryAt(directory: Buffer, at: number, name: string): Entry {
  const entry = {
    checksum: directory.readUInt32LE(at + 16),
    packedBytes: directory.readUInt32LE(at + 20),
    sizeBytes: directory.readUInt32LE(at + 24),
    offset: directory.readUInt32LE(at + 42),
  }
  const isUsual = directory.readUInt16LE(at + 10) === DEFLATED && entry.packedBytes > 0
  if (!isUsual || entry.sizeBytes > ENTRY_BYTES_MAX) throw damaged(`${name} is not packed as expected`)
  return entry
}

async function readDirectory(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat()
  const start = Math.max(0, size - END.sizeBytes - END.commentBytesMax)
  const tail = await readAt(file, start, size - start)
  for (let at = tail.length - END.sizeBytes; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END.signature) continue
    const [sizeBytes, offset] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)]
    if (sizeBytes > DIRECTORY.bytesMax || offset + sizeBytes > size) break
    return await readAt(file, offset, sizeBytes)
  }
  throw damaged('its list of files is missing')
}

async function readAt(file: FileHandle, position: number, sizeBytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(sizeBytes)
  const { bytesRead } = await file.read(buffer, 0, sizeBytes, position)
  if (bytesRead !== sizeBytes) throw damaged('it ends too early')
  return buffer
}

function damaged(what: string): TwinfoldError {
  return new TwinfoldError('upgrade-failed', `the archive is damaged: ${what}; download it again`)
}
