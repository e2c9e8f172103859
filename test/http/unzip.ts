import assert from 'node:assert/strict'
import { crc32, inflateRawSync } from 'node:zlib'

/** The texts of a zip archive by name, read from its directory, with every check that the format offers. */
export function unzip(archive: Buffer): Map<string, string> {
  const end = archive.lastIndexOf(Buffer.from('504b0506', 'hex'))
  assert.ok(end >= 0, 'an archive has an end')
  assert.equal(end + 22, archive.length)
  const files = new Map<string, string>()
  let at = archive.readUInt32LE(end + 16)
  for (let i = 0; i < archive.readUInt16LE(end + 10); i++) {
    assert.equal(archive.readUInt32LE(at), 0x02014b50)
    const nameLength = archive.readUInt16LE(at + 28)
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength)
    const start = archive.readUInt32LE(at + 42)
    assert.equal(archive.readUInt32LE(start), 0x04034b50)
    assert.deepEqual(archive.subarray(start + 4, start + 30), archive.subarray(at + 6, at + 32))
    const dataAt = start + 30 + nameLength
    const content = inflateRawSync(archive.subarray(dataAt, dataAt + archive.readUInt32LE(at + 20)))
    assert.equal(content.length, archive.readUInt32LE(at + 24))
    assert.equal(crc32(content), archive.readUInt32LE(at + 16))
    files.set(name, content.toString())
    at += 46 + nameLength
  }
  assert.equal(at, end)
  return files
}
