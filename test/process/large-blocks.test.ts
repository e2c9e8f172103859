import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { closeSync, createReadStream, openSync, readdirSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { statusOf } from '../support/daemon-pair.ts'
import { converged, startPair, type Device } from '../support/device-pair.ts'
import { reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const MIB = 1_024 * 1_024
/** Large enough for blocks that pass by the page cache, and its last block is not a whole page. */
const SIZE_BYTES = 262 * MIB + 12_345
const ZEROS_MIB = [40, 41, 42, 200]
const KILLS = 4

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

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

const temporaries = ({ root }: Device) => readdirSync(root).filter((name) => /^[.~]syncthing[.~]/.test(name))

/** What of the temporary file is on the disk by now. */
function arrivedBytes(device: Device): number {
  const [name] = temporaries(device)
  return name === undefined ? 0 : statSync(join(device.root, name)).blocks * 512
}

test('C-01: a large file comes whole through kills, and through an edit of one block', async () => {
  using directory = scratchDirectory()
  await using pair = await startPair(directory.path)
  const { a, b } = pair
  const [source, sink] = [join(a.root, 'large.bin'), join(b.root, 'large.bin')]
  writeFile(source)
  await a.scan()
  const killedAtMib: number[] = []
  for (let kill = 1; kill <= KILLS; kill++) {
    await b.whenConnectedTo(a.id)
    const wantedBytes = (kill * SIZE_BYTES) / (KILLS + 2)
    await eventually('a part of the file', async () => arrivedBytes(b) >= wantedBytes || (await statusOf(b)).needTotalItems === 0 || undefined)
    await b.kill()
    killedAtMib.push(Math.round(arrivedBytes(b) / MIB))
    await b.startAgain()
  }
  await converged(pair)
  assert.equal(await hashOf(sink), await hashOf(source))
  overwrite(source, 131 * MIB + 5_000)
  overwrite(source, SIZE_BYTES - 4_096)
  await a.scan()
  await eventually('the edit', async () => (await hashOf(sink)) === (await hashOf(source)) || undefined, 60_000)
  await converged(pair)
  assert.deepEqual(temporaries(b), [])
  assert.deepEqual(readdirSync(b.root).filter((name) => name.includes('sync-conflict')), [])
  assert.ok(killedAtMib.some((mib) => mib > 0), 'at least one kill found the file begun')
  reportRow({ id: 'C-01', part: 'a file of large blocks', tried: KILLS, killedAtMib, torn: 0, temporariesLeft: 0 })
})
