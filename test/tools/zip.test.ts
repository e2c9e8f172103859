import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { inflateRawSync } from 'node:zlib'
import { zipArchive } from '../../tools/zip.ts'
import { isOnPath } from '../support/debian.ts'
import { scratchDirectory } from '../support/scratch.ts'

const ENTRIES = [
  { name: 'twinfold/LICENSE', data: Buffer.from('text\n'.repeat(500)) },
  { name: 'twinfold/twinfold.exe', data: Buffer.alloc(100_000, 'abc') },
]

test('a zip archive has its entries where its directory says', () => {
  const archive = Buffer.from(zipArchive(ENTRIES))
  const end = archive.length - 22
  assert.equal(archive.readUInt32LE(end), 0x06054b50)
  assert.equal(archive.readUInt16LE(end + 10), ENTRIES.length)
  let at = archive.readUInt32LE(end + 16)
  for (const { name, data } of ENTRIES) {
    const [packedBytes, nameBytes, local] = [
      archive.readUInt32LE(at + 20),
      archive.readUInt16LE(at + 28),
      archive.readUInt32LE(at + 42),
    ]
    assert.equal(archive.toString('utf8', at + 46, at + 46 + nameBytes), name)
    const start = local + 30 + nameBytes
    assert.deepEqual(inflateRawSync(archive.subarray(start, start + packedBytes)), data)
    at += 46 + nameBytes
  }
})

test('python reads a zip archive and finds no fault', { skip: !isOnPath('python3') }, () => {
  using scratch = scratchDirectory()
  const file = join(scratch.path, 'a.zip')
  writeFileSync(file, zipArchive(ENTRIES))
  const result = spawnSync('python3', ['-m', 'zipfile', '-t', file], { encoding: 'utf8' })
  assert.match(result.stdout, /Done testing/)
  assert.doesNotMatch(result.stdout, /following file is corrupted/)
})
