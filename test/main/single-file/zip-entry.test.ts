import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { extractZipEntry } from '../../../src/main/single-file/zip-entry.ts'
import { zipArchive } from '../../../tools/zip.ts'
import { someBytes } from '../../support/bytes.ts'
import { scratchDirectory } from '../../support/scratch.ts'

const NAME = 'twinfold-1/twinfold.exe'
const PROGRAM = Buffer.from(someBytes(300_000, 1))
const ARCHIVE = Buffer.from(
  zipArchive([
    { name: 'twinfold-1/LICENSE', data: Buffer.from('text\n'.repeat(500)) },
    { name: NAME, data: PROGRAM },
  ]),
)

async function extract(archive: Buffer, name = NAME): Promise<Buffer> {
  using scratch = scratchDirectory()
  const [file, to] = [join(scratch.path, 'a.zip'), join(scratch.path, 'program')]
  writeFileSync(file, archive)
  await extractZipEntry(file, name, to)
  return readFileSync(to)
}

test('one file of a zip archive is unpacked, also where a comment follows the list of files', async () => {
  assert.ok((await extract(ARCHIVE)).equals(PROGRAM))
  const commented = Buffer.concat([ARCHIVE, Buffer.from('hello')])
  commented.writeUInt16LE(5, commented.length - 7)
  assert.ok((await extract(commented)).equals(PROGRAM))
})

test('a file is created, never replaced', async () => {
  using scratch = scratchDirectory()
  const [file, to] = [join(scratch.path, 'a.zip'), join(scratch.path, 'program')]
  writeFileSync(file, ARCHIVE)
  writeFileSync(to, 'kept')
  await assert.rejects(extractZipEntry(file, NAME, to), { code: 'EEXIST' })
  assert.equal(readFileSync(to, 'utf8'), 'kept')
  assert.ok(existsSync(file))
})

const list = ARCHIVE.readUInt32LE(ARCHIVE.length - 6)
const second = list + 46 + ARCHIVE.readUInt16LE(list + 28)
function changed(change: (archive: Buffer) => void): Buffer {
  const copy = Buffer.from(ARCHIVE)
  change(copy)
  return copy
}

const DAMAGED: readonly (readonly [what: string, archive: Buffer, message: RegExp])[] = [
  ['is empty', Buffer.alloc(0), /list of files is missing/],
  ['is cut off', ARCHIVE.subarray(0, ARCHIVE.length - 30), /list of files is missing/],
  ['has a list outside of it', changed((a) => a.writeUInt32LE(0xffffffff, a.length - 6)), /list of files is missing/],
  ['has another list', changed((a) => a.writeUInt32LE(0, list)), /cannot be read/],
  ['has another packing', changed((a) => a.writeUInt16LE(99, second + 10)), /not packed as expected/],
  ['states gigabytes', changed((a) => a.writeUInt32LE(0xffffffff, second + 24)), /not packed as expected/],
  ['states a smaller file', changed((a) => a.writeUInt32LE(10, second + 24)), /larger than stated/],
  ['has another checksum', changed((a) => a.writeUInt32LE(1, second + 16)), /another checksum/],
  ['has no header there', changed((a) => a.writeUInt32LE(1, second + 42)), /no header/],
  [
    'has other bytes',
    changed((a) => a.fill(0xff, second - 1_000, second - 500)),
    /cannot be unpacked|another checksum/,
  ],
]
for (const [what, archive, message] of DAMAGED) {
  test(`an archive that ${what} is refused`, async () => {
    await assert.rejects(extract(archive), { code: 'upgrade-failed', message })
  })
}

test('an archive without the program is refused', async () => {
  await assert.rejects(extract(ARCHIVE, 'twinfold-2/twinfold.exe'), {
    message: /no program at twinfold-2.twinfold\.exe/,
  })
})
