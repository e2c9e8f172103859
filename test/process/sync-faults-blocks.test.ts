import assert from 'node:assert/strict'
import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { statusOf } from '../support/daemon-pair.ts'
import { reportRow } from '../support/effort.ts'
import { HostilePeer, type PeerRequest } from '../support/hostile-peer.ts'
import { fileRecord, request, response, sha256, type WireBlock, type WireRecord } from '../support/wire-frames.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { MIB, BLOCK, RSS_MIB_MAX, startScene } from './wire-scene.ts'

test('B-11: invalid sizes are rejected before memory is allocated', async () => {
  using directory = scratchDirectory()
  await using scene = await startScene(directory.path, (root) =>
    writeFileSync(join(root, 'f'), Buffer.alloc(BLOCK, 'b')),
  )
  const sizes = [-1, -(2 ** 31), 32 * MIB + 1, 64 * MIB, 2 ** 30, 2 ** 31 - 1, 0]
  const repeats = 40
  await using talk = await scene.join()
  let answers = 0
  let bytes = 0
  const codes = new Map<number, number>()
  talk.onAnswer = ({ id, code, data }) => {
    answers++
    bytes += data.length
    codes.set(id, code)
  }
  for (let i = 0; i < repeats; i++) {
    for (const [id, size] of sizes.entries())
      await talk.send('Request', request({ id, name: 'f', size, hash: sha256('') }))
  }
  await talk.until('every answer', () => answers === repeats * sizes.length)
  const peakRssMiB = scene.device.peakRssMib()
  reportRow({
    id: 'B-11',
    tried: repeats * sizes.length,
    answers,
    bytes,
    codes: [...codes.values()].join(' '),
    peakRssMiB,
  })
  assert.deepEqual(
    [...codes.keys()]
      .sort((a, b) => a - b)
      .map((id) => codes.get(id))
      .slice(0, -1),
    [3, 3, 2, 2, 2, 2],
  )
  assert.equal(bytes, 0)
  assert.ok(peakRssMiB < RSS_MIB_MAX, `${peakRssMiB} MiB`)
})

/** Records of files that cannot be, and a list of blocks to go with them. */
function impossibleFiles(): readonly (readonly [what: string, record: Partial<WireRecord>])[] {
  const hash = sha256('x')
  const one = (size: number | bigint, offset: number | bigint = 0): WireBlock => ({ offset, size, hash })
  return [
    ['2^62 bytes in one block', { size: 2n ** 62n, blocks: [one(BLOCK)] }],
    ['2^53 bytes in one block', { size: 2n ** 53n, blocks: [one(BLOCK)] }],
    ['-1 bytes', { size: -1, blocks: [one(1)] }],
    ['more bytes than its blocks', { size: 10n * BigInt(2 ** 30), blocks: [one(BLOCK)] }],
    ['fewer bytes than its blocks', { size: 10, blocks: [one(BLOCK)] }],
    ['a block of -1 bytes', { size: BLOCK, blocks: [one(-1)] }],
    ['a block of 2^31 - 1 bytes', { size: 2 ** 31 - 1, blockSize: 2 ** 31 - 1, blocks: [one(2 ** 31 - 1)] }],
    ['a block of 2^40 bytes', { size: 2n ** 40n, blocks: [one(2n ** 40n)] }],
    ['an odd block size', { size: 3, blockSize: 131_073, blocks: [one(3)] }],
    ['a negative block size', { size: BLOCK, blockSize: -5, blocks: [one(BLOCK), one(1, 7)] }],
    ['blocks that overlap', { size: 2 * BLOCK, blocks: [one(BLOCK), one(BLOCK, BLOCK / 2)] }],
    ['blocks out of order', { size: 2 * BLOCK, blocks: [one(BLOCK, BLOCK), one(BLOCK)] }],
    ['a hole between blocks', { size: 2 * BLOCK, blocks: [one(BLOCK), one(BLOCK, 5 * BLOCK)] }],
    ['a first block not at the start', { size: BLOCK, blocks: [one(BLOCK, 2 ** 40)] }],
    ['a negative offset', { size: BLOCK, blocks: [one(BLOCK, -BLOCK)] }],
    ['a hash of 31 bytes', { size: BLOCK, blocks: [{ offset: 0, size: BLOCK, hash: hash.subarray(1) }] }],
    [
      'a hash of 33 bytes',
      { size: BLOCK, blocks: [{ offset: 0, size: BLOCK, hash: Buffer.concat([hash, hash.subarray(0, 1)]) }] },
    ],
    ['no hash', { size: BLOCK, blocks: [{ offset: 0, size: BLOCK, hash: new Uint8Array(0) }] }],
    ['a time of 2^62 s', { modifiedS: 2n ** 62n }],
    ['a time of -2^63 s', { modifiedS: -(2n ** 63n) }],
    ['a time of -1 s', { modifiedS: -1 }],
    ['2^31 - 1 ns', { modifiedNs: 2 ** 31 - 1 }],
    ['-1 ns', { modifiedNs: -1 }],
    ['more permissions than there are', { permissions: 0xffff_ffff }],
    ['setuid, setgid and sticky', { permissions: 0o7777 }],
    ['a version of 2^64 - 1', { counter: 2n ** 64n - 1n }],
  ]
}

test('B-12: impossible files are rejected with a reason, and take no disk space', async () => {
  using directory = scratchDirectory()
  await using scene = await startScene(directory.path)
  const { device } = scene
  const content = Buffer.from('honest\n')
  const figures = { tried: 0, kept: 0, closed: 0, handled: 0 }
  let talk = await scene.join()
  const begin = async (): Promise<void> => {
    talk.serve = ({ id }) => response(id, content)
    await talk.index([])
  }
  await begin()
  for (const [i, [, lies]] of impossibleFiles().entries()) {
    figures.tried++
    await talk.update([{ ...fileRecord(`f${i}`, content), sequence: i + 1, ...lies }])
    const alive = await talk.isAlive()
    figures[alive ? 'kept' : 'closed']++
    figures.handled += Number(device.isRunning)
    if (alive) continue
    await talk[Symbol.asyncDispose]()
    talk = await scene.join()
    await begin()
  }
  await eventually('the folder at rest', async () => ((await statusOf(device)).state === 'idle' ? true : undefined))
  await talk[Symbol.asyncDispose]()
  const found = readdirSync(device.root)
    .filter((name) => name !== '.stfolder')
    .map((name) => lstatSync(join(device.root, name)))
  const diskBytes = found.reduce((sum, stat) => sum + stat.blocks * 512, 0)
  const apparentBytes = found.reduce((sum, stat) => sum + stat.size, 0)
  const strangeModes = found.filter(({ mode }) => (mode & 0o7000) !== 0).length
  const wrongBytes = found.filter(({ size }) => size !== content.length).length
  reportRow({
    id: 'B-12',
    ...figures,
    filesMade: found.length,
    diskBytes,
    apparentBytes,
    strangeModes,
    peakRssMiB: device.peakRssMib(),
  })
  assert.equal(figures.handled, figures.tried)
  assert.equal(strangeModes, 0)
  assert.equal(wrongBytes, 0)
  assert.ok(apparentBytes <= figures.tried * content.length)
})

type Contents = ReadonlyMap<string, Buffer>

function partsOf(contents: Contents): (asked: PeerRequest) => Buffer {
  return ({ name, offset, size }) => contents.get(name)!.subarray(offset, offset + size)
}

/** By the name of the file that is answered in this way. */
function wrongResponses(contents: Contents): Readonly<Record<string, (asked: PeerRequest) => Uint8Array | undefined>> {
  const partOf = partsOf(contents)
  return {
    'wrong data': (asked) => response(asked.id, Buffer.alloc(asked.size, 'w')),
    'the data of another block': (asked) => response(asked.id, contents.get(asked.name)!.subarray(1, 1 + asked.size)),
    'too short': (asked) => response(asked.id, partOf(asked).subarray(1)),
    'too long': (asked) => response(asked.id, Buffer.concat([partOf(asked), Buffer.from('more')])),
    'no data': (asked) => response(asked.id, new Uint8Array(0)),
    'an unknown code with the data': (asked) => response(asked.id, partOf(asked), 77),
    'a refusal with the data': (asked) => response(asked.id, partOf(asked), 1),
    'no such file': (asked) => response(asked.id, new Uint8Array(0), 2),
    'twice, the second time wrong': (asked) =>
      Buffer.concat([response(asked.id, partOf(asked)), response(asked.id, Buffer.alloc(asked.size, 'z'))]),
    'a wrong one first': (asked) =>
      Buffer.concat([response(asked.id, Buffer.alloc(asked.size, 'z')), response(asked.id, partOf(asked))]),
    'the id of another': (asked) =>
      Buffer.concat([response(asked.id + 1_000, partOf(asked)), response(asked.id, Buffer.alloc(3))]),
  }
}

test('B-14: wrong blocks are never written; another device that has the file is requested', async () => {
  using directory = scratchDirectory()
  await using scene = await startScene(directory.path)
  const { device, peer } = scene
  const honest = await HostilePeer.make()
  await honest.introduce(device, {})
  await device.daemon.request('PATCH', '/rest/config/folders/docs', {
    devices: [peer, honest].map(({ id }) => ({ deviceID: id })),
  })
  const contents = new Map<string, Buffer>()
  const partOf = partsOf(contents)
  const lies = wrongResponses(contents)
  const names = Object.keys(lies)
  for (const [i, name] of names.entries()) contents.set(name, Buffer.alloc(3 * BLOCK + i * 1_000, i + 65))
  for (const [i, content] of [...contents.values()].entries())
    for (let at = 0; at < content.length; at += BLOCK) content.writeUInt32LE(i * 1_000 + at, at)
  const records = names.map((name, i) => fileRecord(name, contents.get(name)!, { sequence: i + 1 }))
  await using liar = await scene.join()
  let lied = 0
  liar.serve = (asked) => {
    lied++
    return lies[asked.name]?.(asked)
  }
  await liar.index(records)
  assert.equal(await liar.isAlive(), true)
  const wrongNames = (): readonly string[] =>
    readdirSync(device.root).filter(
      (name) => contents.has(name) && Buffer.compare(readFileSync(join(device.root, name)), contents.get(name)!) !== 0,
    )
  await eventually(
    'false records of every file',
    async () => (lied >= names.length && (await statusOf(device)).state === 'idle') || undefined,
  )
  const wrongBefore = wrongNames().length
  // The records are the liar's, word for word: the same version of the same files.
  await using good = await honest.join(device.port, device.id)
  good.serve = (asked) => response(asked.id, partOf(asked))
  await good.send('Index', peer.index(records))
  await eventually(
    'every file',
    async () => {
      const { needTotalItems, state } = await statusOf(device)
      return (needTotalItems === 0 && state === 'idle') || undefined
    },
    60_000,
  )
  const present = names.filter(
    (name) => lstatSync(join(device.root, name), { throwIfNoEntry: false })?.isFile() === true,
  )
  reportRow({
    id: 'B-14',
    tried: names.length,
    handled: present.length,
    lied,
    wrongFiles: wrongBefore + wrongNames().length,
    peakRssMiB: device.peakRssMib(),
  })
  assert.equal(wrongBefore, 0)
  assert.deepEqual(wrongNames(), [])
  assert.deepEqual(present, names)
})
