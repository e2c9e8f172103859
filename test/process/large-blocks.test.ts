import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, lstatSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { converged, startPair, type Device } from '../support/device-pair.ts'
import { casesOf, reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { fileDigest } from '../support/file-digest.ts'
import { conflictCopies, temporaries } from '../support/tree-compare.ts'

const MIB = 1_024 * 1_024
/** Large enough for blocks that pass by the page cache, and its last block is not a whole page. */
const SIZE_BYTES = 262 * MIB + 12_345
const ZEROS_MIB = [40, 41, 42, 200]
const KILLS = casesOf(2, 4)

function writeFile(path: string): void {
  const descriptor = openSync(path, 'w')
  const zeros = Buffer.alloc(MIB)
  for (let at = 0; at < SIZE_BYTES; at += MIB) {
    const piece = ZEROS_MIB.includes(at / MIB) ? zeros : randomBytes(MIB)
    writeSync(descriptor, piece, 0, Math.min(MIB, SIZE_BYTES - at), at)
  }
  closeSync(descriptor)
}

function overwrite(path: string, atBytes: number): void {
  const descriptor = openSync(path, 'r+')
  writeSync(descriptor, randomBytes(4_096), 0, 4_096, atBytes)
  closeSync(descriptor)
}

function digestOf(path: string): string {
  return fileDigest(path, lstatSync(path, { bigint: true }))
}

/** What of the temporary file is on the disk by now. */
function arrivedBytes({ root }: Device): number {
  const [name] = temporaries(root)
  return name === undefined ? 0 : statSync(join(root, name)).blocks * 512
}

test('C-01: a large file is pulled completely despite kills, and through an edit of one block', async () => {
  using directory = scratchDirectory()
  await using pair = await startPair(directory.path)
  const { a, b } = pair
  const source = join(a.root, 'large.bin')
  writeFile(source)
  await a.scan()
  const killedAtMib: number[] = []
  let torn = 0
  for (let kill = 1; kill <= KILLS; kill++) {
    await b.whenConnectedTo(a.id)
    const wantedBytes = (kill * SIZE_BYTES) / (KILLS + 2)
    await eventually(
      'a part of the file',
      () => arrivedBytes(b) >= wantedBytes || existsSync(join(b.root, 'large.bin')) || undefined,
    )
    await b.kill()
    killedAtMib.push(Math.round(arrivedBytes(b) / MIB))
    // The name must never refer to a part of the content, whatever temporary files there are.
    torn += Number(existsSync(join(b.root, 'large.bin')) && digestOf(join(b.root, 'large.bin')) !== digestOf(source))
    await b.startAgain()
  }
  assert.equal(torn, 0)
  await converged(pair)
  overwrite(source, 131 * MIB + 5_000)
  overwrite(source, SIZE_BYTES - 4_096)
  await converged(pair)
  assert.deepEqual(temporaries(b.root), [])
  assert.deepEqual(conflictCopies(b.root), [])
  assert.ok(
    killedAtMib.some((mib) => mib > 0),
    'at least one kill found the file begun',
  )
  reportRow({
    id: 'C-01',
    part: 'a file of large blocks',
    tried: KILLS,
    killedAtMib,
    torn,
    temporariesLeft: temporaries(b.root).length,
  })
})
