import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { inSync, statusOf } from '../support/daemon-pair.ts'
import { contentsOf, converged, Device, differences, startPair } from '../support/device-pair.ts'
import { casesOf, effort, reportRow } from '../support/effort.ts'
import { HostilePeer } from '../support/hostile-peer.ts'
import { missingMounts } from '../support/mounts.ts'
import { response, sha256, type WireBlock } from '../support/wire-frames.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const KIB = 1024
const MIB = 1024 * KIB
const BLOCK = 128 * KIB

const secsSince = (startedMs: number) => Number(((performance.now() - startedMs) / 1000).toFixed(1))

test(
  'C-05: the disk is full, then has room again: nothing torn, errors listed, resumed alone',
  { skip: missingMounts() },
  async () => {
    using directory = scratchDirectory()
    const root = join(directory.path, 'b')
    mkdirSync(root)
    const before = [
      'unshare',
      '-m',
      '--propagation',
      'private',
      'sh',
      '-c',
      `mount -t tmpfs -o size=8m none '${root}' && exec "$@"`,
      'small-disk',
    ]
    const pullerPauseS = 2
    await using pair = await startPair(directory.path, {
      b: { before },
      folder: { pullerPauseS, minDiskFree: { value: 0, unit: '%' } },
    })
    const { a, b } = pair
    // Seen from inside the namespace.
    const inside = `/proc/${b.daemon.child.pid}/root${root}`
    const fileCount = 48
    for (let i = 0; i < fileCount; i++) writeFileSync(join(a.root, `f${i}`), randomBytes(500_000))
    const wanted = contentsOf(a.root)
    const torn = (): readonly string[] => {
      const there = [...contentsOf(inside)].filter(([path]) => !path.startsWith('.syncthing.'))
      return there.filter(([path, what]) => wanted.get(path) !== what).map(([path]) => path)
    }
    await a.scan()
    const { listed, needed } = await eventually('errors listed', async () => {
      const { errors } = (await b.daemon.get('/rest/folder/errors?folder=docs')) as {
        errors: readonly unknown[] | null
      }
      const { needTotalItems, state } = await statusOf(b)
      return errors !== null && errors.length > 0 && state === 'idle'
        ? { listed: errors.length, needed: needTotalItems }
        : undefined
    })
    const tornWhileFull = torn()
    execFileSync('nsenter', ['-t', String(b.daemon.child.pid), '-m', 'mount', '-o', 'remount,size=64m', root])
    const roomMs = performance.now()
    await inSync([a, b])
    const tornAfter = torn()
    const left = readdirSync(inside).filter((name) => name.startsWith('.syncthing.'))
    const secsToFinish = secsSince(roomMs)
    reportRow({
      id: 'C-05',
      tried: fileCount,
      torn: tornWhileFull.length + tornAfter.length,
      errorsListed: listed,
      failedItems: needed,
      temporariesLeft: left.length,
      secsToFinish,
      pullerPauseS,
    })
    assert.deepEqual(tornWhileFull, [])
    assert.deepEqual(tornAfter, [])
    assert.equal(listed, needed)
    assert.deepEqual(differences(a.root, inside), [])
  },
)

/** A content that shows whether it is of one piece: every byte shows the generation. */
const generation = (number: number) => Buffer.alloc(MIB, (number % 255) + 1)
const isMixed = (content: Buffer) => !content.equals(Buffer.alloc(content.length, content[0]))

test('C-11: a file written during its pull is never pulled as a mixture', async () => {
  using directory = scratchDirectory()
  await using pair = await startPair(directory.path)
  const { a, b } = pair
  const figures = { tried: effort(12), observed: 0, mixed: 0, lost: 0 }
  const look = (): void => {
    for (const name of ['renamed-0', 'renamed-1', 'renamed-2']) {
      const content =
        lstatSync(join(b.root, name), { throwIfNoEntry: false }) === undefined
          ? undefined
          : readFileSync(join(b.root, name))
      if (content === undefined) continue
      figures.observed++
      figures.mixed += Number(isMixed(content) || content.length !== MIB)
    }
  }
  const inPlace = openSync(join(a.root, 'in-place'), 'w')
  const written: string[] = []
  for (let round = 0; round < figures.tried; round++) {
    const fresh = join(directory.path, 'fresh')
    writeFileSync(fresh, generation(round))
    renameSync(fresh, join(a.root, `renamed-${round % 3}`))
    const scanned = a.scan()
    for (let at = 0; at < MIB; at += BLOCK) {
      writeSync(inPlace, generation(round), 0, BLOCK, at)
      await new Promise((resolve) => setImmediate(resolve))
      look()
    }
    // Two people, one new name, and a pull under way: both contents must live on.
    const [ours, theirs] = [`of a ${round} `.repeat(20_000), `of b ${round}`]
    written.push(ours)
    writeFileSync(join(a.root, `both-${round}`), ours)
    const scannedAgain = a.scan()
    await eventually('the news to arrive', async () => {
      const reply = await b.daemon.request('GET', `/rest/db/file?folder=docs&file=both-${round}`)
      return reply.status === 200 || undefined
    })
    if (writeNew(join(b.root, `both-${round}`), theirs)) written.push(theirs)
    await Promise.all([scanned, scannedAgain])
    look()
  }
  closeSync(inPlace)
  await converged(pair)
  look()
  for (const { root } of pair.both) {
    const found = new Set(
      readdirSync(root)
        .filter((name) => name.startsWith('both-'))
        .map((name) => readFileSync(join(root, name), 'utf8')),
    )
    figures.lost += written.filter((content) => !found.has(content)).length
  }
  const temporariesLeft = readdirSync(b.root).filter((name) => name.startsWith('.syncthing.')).length
  reportRow({ id: 'C-11', ...figures, contents: written.length, temporariesLeft })
  assert.ok(figures.observed > figures.tried, 'the receiver was looked at meanwhile')
  assert.equal(figures.mixed, 0)
  assert.equal(figures.lost, 0)
  assert.equal(isMixed(readFileSync(join(b.root, 'in-place'))), false)
})

/** False when there is a file already: to write over it would be an edit of what came. */
function writeNew(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { flag: 'wx' })
    return true
  } catch {
    return false
  }
}

test('C-14: empty, sparse and block-sized files arrive byte for byte', async () => {
  using directory = scratchDirectory()
  await using pair = await startPair(directory.path)
  const { a, b } = pair
  const sizes = [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK, 16 * MIB - 1, 16 * MIB, 16 * MIB + 1]
  for (const size of sizes) writeFileSync(join(a.root, `size-${size}`), randomBytes(size))
  const sparse: readonly (readonly [sizeBytes: number, dataAt: number])[] = [
    [64 * MIB, 20 * MIB + 5],
    [262_144_000, 0],
    [262_143_999, 262_143_998],
    [5 * MIB, -1],
  ]
  for (const [sizeBytes, dataAt] of sparse) {
    const file = openSync(join(a.root, `sparse-${sizeBytes}`), 'w')
    ftruncateSync(file, sizeBytes)
    if (dataAt >= 0) writeSync(file, 'x', dataAt)
    closeSync(file)
  }
  await a.scan()
  await converged(pair)
  const names = readdirSync(a.root).filter((name) => name !== '.stfolder')
  const diskBytes = names
    .filter((name) => name.startsWith('sparse-'))
    .reduce((sum, name) => sum + lstatSync(join(b.root, name)).blocks * 512, 0)
  const wrong = differences(a.root, b.root)
  const sparseBytes = sparse.reduce((sum, [size]) => sum + size, 0)
  const peakRssMiB = b.peakRssMib()
  reportRow({
    id: 'C-14',
    tried: names.length,
    wrong: wrong.length,
    sparseBytes,
    sparseDiskBytes: diskBytes,
    peakRssMiB,
  })
  assert.deepEqual(wrong, [])
  assert.ok(diskBytes < 8 * MIB, `${diskBytes} bytes of disk for what is empty`)
})

test('C-14: a file of more than 2^32 bytes keeps its exact size and its last byte', async () => {
  using directory = scratchDirectory()
  await using device = await Device.start(directory.path, 'a')
  const peer = await HostilePeer.make()
  mkdirSync(device.root)
  await peer.introduce(device, { docs: device.root })
  const blockSize = 16 * MIB
  const [zeros, last] = [sha256(Buffer.alloc(blockSize)), Buffer.from('!')]
  const count = 2 ** 32 / blockSize
  const blocks: WireBlock[] = Array.from({ length: count }, (_, i) => ({
    offset: i * blockSize,
    size: blockSize,
    hash: zeros,
  }))
  blocks.push({ offset: 2 ** 32, size: 1, hash: sha256(last) })
  await using talk = await peer.join(device.port, device.id)
  const asked: number[] = []
  talk.serve = ({ id, offset, size }) => {
    asked.push(offset)
    return response(id, offset === 2 ** 32 ? last : Buffer.alloc(size))
  }
  await talk.index([{ name: 'large', size: 2 ** 32 + 1, blockSize, blocks, permissions: 0o644 }])
  const path = join(device.root, 'large')
  const stat = await eventually('the large file', () => lstatSync(path, { throwIfNoEntry: false }), 60_000)
  const end = execFileSync('tail', ['-c', '2', path])
  const diskBytes = stat.blocks * 512
  const [blocksAsked, peakRssMiB] = [asked.length, device.peakRssMib()]
  reportRow({
    id: 'C-14',
    what: 'more than 2^32 bytes',
    tried: 1,
    sizeBytes: stat.size,
    diskBytes,
    blocksAsked,
    peakRssMiB,
  })
  assert.equal(stat.size, 2 ** 32 + 1)
  assert.equal(end.toString(), '\0!')
  assert.ok(diskBytes < 64 * MIB)
})

test('C-15: many files in one directory, deep trees and the longest paths', async () => {
  using directory = scratchDirectory()
  await using pair = await startPair(directory.path)
  const { a, b } = pair
  const count = casesOf(1_500, 100_000)
  for (let i = 0; i < count; i++) {
    // Ten thousand in the first directory, then a thousand in each.
    const directoryName = i < 10_000 ? 'many' : `some-${Math.floor(i / 1_000)}`
    if (i === 0 || (i >= 10_000 && i % 1_000 === 0)) mkdirSync(join(a.root, directoryName))
    writeFileSync(join(a.root, directoryName, `file-${i}`), `${i}`)
  }
  const deep = Array<string>(500).fill('d').join('/')
  mkdirSync(join(a.root, deep), { recursive: true })
  writeFileSync(join(a.root, deep, 'f'), 'at the bottom')
  // As long as a path can be with room for the temporary name beside it.
  const room = 4_096 - 1 - join(a.root, 'x').length - '.syncthing.f.tmp'.length - 1
  const parts: string[] = []
  for (let left = room; left > 1; left -= 201) parts.push('p'.repeat(Math.min(200, left - 1)))
  const long = parts.join('/')
  mkdirSync(join(a.root, long), { recursive: true })
  writeFileSync(join(a.root, long, 'f'), 'at the end')
  const startedMs = performance.now()
  await a.scan()
  await converged(pair, 600_000)
  const secs = secsSince(startedMs)
  const items = contentsOf(b.root).size
  const pathBytes = join(b.root, long, 'f').length
  const peakRssMiB = Math.max(a.peakRssMib(), b.peakRssMib())
  const filesPerSec = Math.round(count / secs)
  reportRow({ id: 'C-15', tried: items, filesPerSec, depth: 500, pathBytes, peakRssMiB, secs })
  assert.ok(items >= count + 500)
  assert.equal(readFileSync(join(b.root, long, 'f'), 'utf8'), 'at the end')
})
