import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import {
  compareVersions,
  isAcceptable,
  mergeVersions,
  parseVersion,
  type VersionVector,
  versionToText,
} from '../../src/core/records/version-vector.ts'
import { decode } from '../../src/core/wire/schema.ts'
import { ByteReader } from '../../src/protocol/byte-reader.ts'
import { readClusterConfig, writeClusterConfig } from '../../src/protocol/cluster-config.ts'
import { claimedBytes, uncompress } from '../../src/protocol/compress.ts'
import { readClose, readDownloadProgress, readRequest, readResponse } from '../../src/protocol/exchange.ts'
import { readFrame, unpackBody } from '../../src/protocol/frame.ts'
import { exchangeHellos } from '../../src/protocol/hello.ts'
import type { ClusterConfig, IndexData } from '../../src/protocol/types.ts'
import { writeIndex, type IndexKind } from '../../src/protocol/index-data.ts'
import type { FileInfo } from '../../src/core/records/file-info.ts'
import { VECTOR } from '../../src/core/records/record-fields.ts'
import { nameFault } from '../../src/protocol/names.ts'
import { versionFromWire } from '../../src/protocol/version.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { hasOverrun } from '../../test/fuzz/reference-wire.ts'
import { assertAsLibrary } from '../../test/protocol/lz4-reference.ts'
import { finish, readIndex } from '../../test/protocol/read-index.ts'
import { ScriptedStream } from '../../test/protocol/scripted-stream.ts'
import { endlessSlice } from '../../test/protocol/slices.ts'
import { HELLO, NO_LISTENER } from '../../test/protocol/test-connection.ts'
import { growMessage, setNumber } from './grow.ts'
import type { Target } from './targets.ts'

const LZ4_BYTES_MAX = 1024 * 1024
/** A counter, device or block of two bytes becomes an object. */
const MESSAGE_KEPT = 256
const NEVER = new AbortController().signal
const VARINTS = ['ffffffffffffffffff01', '8080808080808080807f', '0a00', '1200', '0a02', 'ff7f', '8001'].map((hex) =>
  Buffer.from(hex, 'hex'),
)

function ended(input: Uint8Array): ScriptedStream {
  const stream = new ScriptedStream()
  stream.feed(input)
  stream.end()
  return stream
}

function index(kind: IndexKind): Target {
  return {
    name: kind.replace(' ', '-'),
    words: VARINTS,
    keptPerByteMax: MESSAGE_KEPT,
    grow: growMessage,
    vary: setNumber,
    run: (input) => [...readIndex(input, kind)],
    check(parts: readonly IndexData[]) {
      for (const part of parts) {
        for (const file of part.files) checkFile(file)
        const again = [...readIndex(writeIndex(part), kind)].flatMap(({ files }) => files)
        assertSame(again, part.files)
      }
    },
  }
}

/** Bytes may be a buffer on one side and a plain array on the other. */
function assertSame(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) assert.deepEqual(structuredClone(actual), structuredClone(expected))
}

/** What is accepted can be stored, and has a name that may be used. */
function checkFile({ name, sizeBytes, modifiedS, modifiedNs, sequence, blockSizeBytes }: FileInfo): void {
  assert.equal(nameFault(name), undefined, `the name ${JSON.stringify(name)}`)
  for (const value of [sizeBytes, modifiedS, sequence, blockSizeBytes])
    assert.ok(Number.isSafeInteger(value), `the number ${value}`)
  assert.ok(modifiedNs >= 0 && modifiedNs < 1e9, `${modifiedNs} nanoseconds`)
}

/** A message that is only read: what is accepted must be whole. */
function message(name: string, read: (input: Uint8Array) => unknown): Target {
  return {
    name,
    words: VARINTS,
    keptPerByteMax: MESSAGE_KEPT,
    grow: growMessage,
    vary: setNumber,
    run: read,
    check: (_result, input) => assert.ok(!hasOverrun(input), 'a field that ends outside of its message is accepted'),
  }
}

export const PROTOCOL_TARGETS: readonly Target[] = [
  {
    name: 'frame',
    words: [...VARINTS, Buffer.from('000000000000', 'hex'), Buffer.from('00020803', 'hex')],
    keptPerByteMax: 512,
    // What a socket gives at once: between two pieces the event loop runs.
    grownBytesMax: 64 * 1024,
    async run(input) {
      const reader = new ByteReader(ended(input), () => 0)
      const bodies: unknown[] = []
      for (;;) {
        const frame = await readFrame(reader, NO_LISTENER)
        if (frame === undefined) return bodies
        bodies.push([frame.type, await unpackBody(frame, endlessSlice())])
      }
    },
  },
  {
    name: 'lz4',
    keptPerByteMax: 256,
    run: (input) => uncompress(input, LZ4_BYTES_MAX, endlessSlice()),
    async check(body: Uint8Array, input) {
      assert.equal(body.length, Buffer.from(input).readUInt32BE(0))
      assert.deepEqual(
        await uncompress(input, LZ4_BYTES_MAX, endlessSlice()),
        body,
        'the same bytes each time, so none of old memory',
      )
    },
  },
  {
    name: 'lz4-block',
    keptPerByteMax: 256,
    run(input) {
      const lengthBytes = claimedBytes(input, LZ4_BYTES_MAX)
      return assertAsLibrary(input.subarray(4), lengthBytes) === 'decoded' ? lengthBytes : undefined
    },
  },
  {
    name: 'hello',
    words: [Buffer.from('2ea7d90b', 'hex'), Buffer.from('9f79bc40', 'hex'), ...VARINTS],
    keptPerByteMax: 32,
    async run(input) {
      const { hello } = await exchangeHellos(ended(input), HELLO, new SimClock(), NEVER)
      // oxlint-disable-next-line no-control-regex
      for (const text of [hello.deviceName, hello.clientName, hello.clientVersion])
        assert.doesNotMatch(text, /[\0-\x1f]/)
      return hello
    },
  },
  {
    name: 'cluster-config',
    words: VARINTS,
    keptPerByteMax: MESSAGE_KEPT,
    grow: growMessage,
    vary: setNumber,
    run: (input) => finish(readClusterConfig(input)),
    check(config: ClusterConfig, input) {
      assert.ok(!hasOverrun(input))
      assertSame(finish(readClusterConfig(writeClusterConfig(config))), config)
    },
  },
  index('index'),
  index('index update'),
  message('request', readRequest),
  message('response', readResponse),
  message('download-progress', readDownloadProgress),
  message('close', readClose),
  {
    name: 'version',
    words: VARINTS,
    keptPerByteMax: MESSAGE_KEPT,
    grow: growMessage,
    vary: setNumber,
    run: (input) => vectorsOf(input).map(versionFromWire),
    check(versions: readonly [VersionVector, VersionVector], input) {
      for (const [place, { counters }] of vectorsOf(input).entries()) checkNormal(versions[place]!, counters)
      checkOrder(...versions)
    },
  },
]

function vectorsOf(input: Uint8Array) {
  const half = input.length >> 1
  return [input.subarray(0, half), input.subarray(half)].map((part) => decode(VECTOR, part, 10_000))
}

const MIRRORED = {
  equal: 'equal',
  older: 'newer',
  newer: 'older',
  'concurrent-older': 'concurrent-newer',
  'concurrent-newer': 'concurrent-older',
} as const

/** Each device once and in order, with the highest of its counters; the text in the index is read as the same. */
function checkNormal(
  version: VersionVector,
  counters: readonly { readonly id: bigint; readonly value: bigint }[],
): void {
  const highest = new Map<bigint, bigint>()
  for (const { id, value } of counters) if (value > (highest.get(id) ?? 0n)) highest.set(id, value)
  const expected = [...highest].sort(([a], [b]) => (a < b ? -1 : 1)).map(([device, value]) => ({ device, value }))
  assert.deepEqual(version, expected)
  if (isAcceptable(version)) assert.deepEqual(parseVersion(versionToText(version)), version)
}

/** Both devices see the same order, and a merged version is not older than its parts. */
function checkOrder(a: VersionVector, b: VersionVector): void {
  if (!isAcceptable(a) || !isAcceptable(b)) return
  assert.equal(compareVersions(b, a), MIRRORED[compareVersions(a, b)])
  const merged = mergeVersions(a, b)
  for (const part of [a, b]) assert.match(compareVersions(merged, part), /^(equal|newer)$/)
}
