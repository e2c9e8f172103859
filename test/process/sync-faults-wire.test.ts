import assert from 'node:assert/strict'
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect, statusOf } from '../support/daemon-pair.ts'
import { Device } from '../support/device-pair.ts'
import { effort, reportRow } from '../support/effort.ts'
import {
  DIRECTORY,
  fileRecord,
  frame,
  HostilePeer,
  request,
  response,
  sha256,
  type Asked,
  type HostileTalk,
  type WireBlock,
  type WireRecord,
} from '../support/hostile-peer.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const KIB = 1024
const MIB = 1024 * KIB
const BLOCK = 128 * KIB
/** Far above what an idle device takes, far below what any of the lies here ask for. */
const RSS_MIB_MAX = 450

interface Scene extends AsyncDisposable {
  readonly device: Device
  readonly peer: HostilePeer
  join(): Promise<HostileTalk>
}

/** A device that shares `docs` with a peer which does not play by the rules. */
async function startScene(directory: string, prepare: (root: string) => void = () => {}): Promise<Scene> {
  const device = await Device.start(directory, 'a')
  const peer = await HostilePeer.make()
  mkdirSync(device.root)
  prepare(device.root)
  await peer.introduce(device, { docs: device.root })
  await device.scan()
  return { device, peer, join: () => peer.join(device.port, device.id), [Symbol.asyncDispose]: () => device.stop() }
}

test('B-04: false lengths cost no memory, and the next connection works', async () => {
  using directory = scratchDirectory()
  await using scene = await startScene(directory.path)
  const nothing = new Uint8Array(0)
  const cases: readonly (readonly [what: string, bytes: Uint8Array, reaction: 'closed' | 'kept'])[] = [
    ['a header of 65,535 bytes', frame('Ping', nothing, { header: 65_535 }), 'closed'],
    ['a header of -1 bytes', frame('Ping', nothing, { header: 0xffff }), 'closed'],
    ['a header of 32,768 bytes', frame('Ping', nothing, { header: 0x8000 }), 'closed'],
    ['a header of no bytes: an empty ClusterConfig', Buffer.alloc(6), 'kept'],
    ['a message of no bytes', frame('Index', nothing, { length: 0 }), 'closed'],
    ['a ping of no bytes', frame('Ping', nothing), 'kept'],
    ['a message of -1 bytes', frame('Index', nothing, { length: 0xffff_ffff }), 'closed'],
    ['a message of 2^31 bytes', frame('Index', nothing, { length: 0x8000_0000 }), 'closed'],
    ['a message of 2^31 - 1 bytes', frame('Index', nothing, { length: 0x7fff_ffff }), 'closed'],
    ['a message of 500,000,001 bytes', frame('Index', nothing, { length: 500_000_001 }), 'closed'],
    ['a message of 500,000,001 bytes of an unknown type', frame(99, nothing, { length: 500_000_001 }), 'closed'],
    ['a request of 500,000,000 bytes', frame('Request', nothing, { length: 500_000_000 }), 'closed'],
    ['a close of 500,000,000 bytes', frame('Close', nothing, { length: 500_000_000 }), 'closed'],
    ['an index of more than 32 MiB', frame('Index', Buffer.alloc(MIB), { length: 32 * MIB + 1 }), 'closed'],
    ['an update of more than 32 MiB', frame('IndexUpdate', nothing, { length: 32 * MIB + 1 }), 'closed'],
    ['an index of 32 MiB, most of which never come', frame('Index', Buffer.alloc(MIB), { length: 32 * MIB }), 'kept'],
    ['an update of 32 MiB, all of which never come', frame('IndexUpdate', nothing, { length: 32 * MIB }), 'kept'],
    ['an unknown type of 500,000,000 bytes, which never come', frame(99, nothing, { length: 500_000_000 }), 'kept'],
  ]
  let handled = 0
  for (const [what, bytes, reaction] of cases) {
    await using talk = await scene.join()
    await talk.raw(bytes)
    // A message that has not ended keeps the device from answering: what it did not close it waits for.
    const isWaiting = reaction === 'kept' && what.includes('never come')
    if (isWaiting) {
      await scene.device.daemon.get('/rest/system/status')
      assert.equal(talk.ended, false, what)
    } else assert.equal((await talk.isAlive()) ? 'kept' : 'closed', reaction, what)
    handled += Number(scene.device.isRunning)
  }
  await using talk = await scene.join()
  assert.equal(await talk.isAlive(), true)
  const peakRssMiB = scene.device.peakRssMib()
  reportRow({ id: 'B-04', tried: cases.length, handled, peakRssMiB })
  assert.equal(handled, cases.length)
  assert.ok(peakRssMiB < RSS_MIB_MAX, `${peakRssMiB} MiB`)
})

test('B-07: messages out of order are handled as by other implementations', async () => {
  using directory = scratchDirectory()
  await using scene = await startScene(directory.path)
  const { device, peer } = scene
  const config = peer.clusterConfig(device.id, ['docs'])
  const index = peer.index([{ name: 'd', type: DIRECTORY }])
  const requestBody = request({ id: 1, name: 'f', size: 1, hash: sha256('x') })
  const cases: readonly (readonly [
    what: string,
    send: (talk: HostileTalk) => Promise<unknown>,
    expected: 'kept' | RegExp,
  ])[] = [
    ['an index first', (talk) => talk.send('Index', index), /^protocol error on index for docs: invalid state 0$/],
    [
      'an update first',
      (talk) => talk.send('IndexUpdate', index),
      /^protocol error on index update for docs: invalid state 0$/,
    ],
    ['a ping first', (talk) => talk.send('Ping'), /^protocol error on ping: invalid state 0$/],
    [
      'a request first',
      (talk) => talk.send('Request', requestBody),
      /^protocol error on request for "f" in docs: invalid state 0$/,
    ],
    ['a response first', (talk) => talk.raw(response(1, new Uint8Array(0))), /invalid state 0$/],
    [
      'an unknown type first',
      async (talk) => {
        await talk.send(42, Buffer.alloc(100))
        await talk.send('ClusterConfig', config)
      },
      'kept',
    ],
    [
      'a second ClusterConfig',
      async (talk) => {
        for (let i = 0; i < 3; i++) await talk.send('ClusterConfig', config)
      },
      'kept',
    ],
    ['an empty ClusterConfig', (talk) => talk.send('ClusterConfig'), 'kept'],
    [
      'an index of a folder nobody shares',
      async (talk) => {
        await talk.send('ClusterConfig', config)
        await talk.index([{ name: 'd', type: DIRECTORY }], 'others')
      },
      /^handling index for others: others: no such folder$/,
    ],
    [
      'a Response nobody asked for',
      async (talk) => {
        await talk.send('ClusterConfig', config)
        for (const id of [0, 1, -1, 0x7fff_ffff]) await talk.raw(response(id, Buffer.alloc(10)))
      },
      'kept',
    ],
    [
      'unknown types',
      async (talk) => {
        await talk.send('ClusterConfig', config)
        for (const type of [8, 9, 100, 0x7fff_ffff]) await talk.send(type, Buffer.alloc(1_000, type))
      },
      'kept',
    ],
    [
      'a flood of pings',
      async (talk) => {
        await talk.send('ClusterConfig', config)
        await talk.raw(Buffer.concat(Array<Uint8Array>(effort(20_000)).fill(frame('Ping', new Uint8Array(0)))))
      },
      'kept',
    ],
    [
      'a goodbye, and more after it',
      async (talk) => {
        await talk.send('ClusterConfig', config)
        await talk.send('Close', Buffer.from('\x0a\x03bye'))
        await talk.send('Index', index)
      },
      /^closed by remote: bye$/,
    ],
  ]
  let handled = 0
  for (const [what, send, expected] of cases) {
    await using talk = await peer.dial(device.port)
    await send(talk)
    if (expected === 'kept') assert.equal(await talk.isAlive(), true, what)
    else {
      await talk.whenEnded()
      assert.match(talk.closeReason ?? '', expected, what)
    }
    handled += Number(device.isRunning)
  }
  await using talk = await scene.join()
  const codes: number[] = []
  talk.onAnswer = ({ code }) => void codes.push(code)
  await talk.send('Request', request({ id: 1, folder: 'others', name: 'f', size: 1, hash: sha256('x') }))
  await talk.until('an answer', () => codes.length > 0)
  assert.deepEqual(codes, [1], 'a request in a folder nobody shares')
  reportRow({
    id: 'B-07',
    tried: cases.length + codes.length,
    handled: handled + codes.length,
    peakRssMiB: device.peakRssMib(),
  })
})

test('B-08: a flood of records is processed with bounded memory, and other folders continue', async () => {
  using directory = scratchDirectory()
  await using a = await Device.start(directory.path, 'a')
  await using b = await Device.start(directory.path, 'b')
  await connect(a, b)
  const peer = await HostilePeer.make()
  await peer.introduce(a, { flood: join(directory.path, 'flood') })
  await Promise.all([a.whenConnectedTo(b.id), b.whenConnectedTo(a.id)])
  const count = effort(20_000)
  const floods: readonly (readonly [what: string, record: (i: number) => WireRecord])[] = [
    ['so many', (i) => ({ name: `many/${i}`, deleted: true, sequence: i + 1 })],
    ['all of one sequence number', (i) => ({ name: `same/${i}`, deleted: true, sequence: 7 })],
    ['decreasing sequence numbers', (i) => ({ name: `down/${i}`, deleted: true, sequence: count - i })],
    ['one name', (i) => ({ name: 'one', type: DIRECTORY, counter: i + 1, sequence: i + 1 })],
  ]
  let entries = 0
  let otherFiles = 0
  let worstLagMs = 0
  const startedMs = performance.now()
  for (const [what, record] of floods) {
    await using talk = await peer.join(a.port, a.id, 'flood')
    await talk.index([], 'flood')
    for (let start = 0; start < count; start += 1_000) {
      await talk.update(
        Array.from({ length: 1_000 }, (_, i) => record(start + i)),
        'flood',
      )
      entries += 1_000
    }
    const name = `during-${otherFiles}`
    writeFileSync(join(a.root, name), what)
    await a.scan()
    const askedMs = performance.now()
    await a.daemon.get('/rest/system/ping')
    worstLagMs = Math.max(worstLagMs, performance.now() - askedMs)
    await eventually(
      'a file of another folder',
      () => lstatSync(join(b.root, name), { throwIfNoEntry: false })?.isFile() || undefined,
    )
    otherFiles++
    assert.equal(await talk.isAlive(), true, what)
  }
  const secs = (performance.now() - startedMs) / 1_000
  const huge = [2n ** 63n - 1n, 2n ** 63n, -1n, 2n ** 53n]
  for (const sequence of huge) {
    await using talk = await peer.join(a.port, a.id, 'flood')
    await talk.index([{ name: 'huge', deleted: true, sequence }], 'flood')
    await talk.isAlive()
    assert.ok(a.isRunning)
  }
  const peakRssMiB = a.peakRssMib()
  reportRow({
    id: 'B-08',
    tried: floods.length + huge.length,
    entries,
    otherFiles,
    entriesPerSec: Math.round(entries / secs),
    worstLagMs: Math.round(worstLagMs),
    peakRssMiB,
  })
  assert.equal(otherFiles, floods.length)
  assert.ok(peakRssMiB < RSS_MIB_MAX, `${peakRssMiB} MiB`)
})

test('B-10: a flood of requests is served completely, within bounds', async () => {
  using directory = scratchDirectory()
  const content = Buffer.alloc(BLOCK, 'b')
  await using scene = await startScene(directory.path, (root) => writeFileSync(join(root, 'f'), content))
  const { device } = scene
  const hash = sha256(content)
  const count = effort(2_000)
  const figures = { answered: 0, dataBytes: 0, refused: 0, wrong: 0 }
  {
    await using talk = await scene.join()
    talk.onAnswer = ({ data, code }) => {
      figures.answered++
      figures.dataBytes += data.length
      figures.wrong += Number(code !== 0 || Buffer.compare(data, content) !== 0)
    }
    // All at once: they are on the way before the first answer is.
    await talk.raw(
      Buffer.concat(
        Array.from({ length: count }, (_, id) => frame('Request', request({ id, name: 'f', size: BLOCK, hash }))),
      ),
    )
    await talk.until('every answer', () => figures.answered === count)
  }
  const odd: readonly (readonly [what: string, body: Uint8Array])[] = [
    ...Array.from({ length: 100 }, () => ['the same id', request({ id: 5, name: 'f', size: BLOCK, hash })] as const),
    ...[BLOCK, BLOCK + 1, 2n ** 31n, 2n ** 40n, 2n ** 53n, 2n ** 62n, -1n].map(
      (offset) => ['an offset beyond the end', request({ id: 6, name: 'f', offset, size: BLOCK, hash })] as const,
    ),
    ['a negative id', request({ id: -1, name: 'f', size: BLOCK, hash })],
  ]
  await using talk = await scene.join()
  let answers = 0
  talk.onAnswer = ({ id, code }) => {
    answers++
    figures.refused += Number(code !== 0)
    figures.wrong += Number((code === 0) !== (id !== 6))
  }
  for (const [, body] of odd) await talk.send('Request', body)
  await talk.until('every answer', () => answers === odd.length)
  await device.daemon.request('PATCH', '/rest/config/folders/docs', { paused: true })
  let codes: readonly number[] = []
  talk.onAnswer = ({ code }) => void (codes = [...codes, code])
  await talk.send('Request', request({ id: 9, name: 'f', size: BLOCK, hash }))
  await talk.until('an answer about a paused folder', () => codes.length > 0)
  assert.deepEqual(codes, [1])
  const peakRssMiB = device.peakRssMib()
  reportRow({ id: 'B-10', tried: count + odd.length + 1, ...figures, peakRssMiB })
  assert.equal(figures.wrong, 0)
  assert.ok(peakRssMiB < RSS_MIB_MAX, `${peakRssMiB} MiB`)
})

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
  const partOf = ({ name, offset, size }: Asked) => contents.get(name)!.subarray(offset, offset + size)
  const lies: Readonly<Record<string, (asked: Asked) => Uint8Array | undefined>> = {
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
