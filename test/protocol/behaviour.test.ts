import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CLUSTER_CONFIG, REQUEST, RESPONSE } from '../../src/protocol/messages.ts'
import { decode, encode } from '../../src/core/wire/schema.ts'
import type { ProtocolHandler } from '../../src/protocol/types.ts'
import { reportRow } from '../support/effort.ts'
import { FULL_INDEX } from './reference-schema.ts'
import { settle } from './scripted-stream.ts'
import { closeReason, frame, openConnection } from './test-connection.ts'

interface Row {
  readonly name: string
  readonly up?: true
  /** A text: closed with that reason. Null: dropped without a Close. */
  readonly close?: string | null
  readonly msg?: { readonly id: number; readonly code: number }
  readonly reason?: string
}

const file = join(import.meta.dirname, '..', 'vectors', 'bep-behaviour.json')
const rows: readonly Row[] = JSON.parse(readFileSync(file, 'utf8')).protocol_violations

const PING = frame(6, new Uint8Array(0))
const ID_A = new Uint8Array(32).fill(1)
const HASH = new Uint8Array(32).fill(2)

function config(...folders: readonly object[]): Buffer {
  return frame(0, encode(CLUSTER_CONFIG, { folders: folders as never }))
}

const EMPTY = config()
const SHARED = config({ id: 'v', label: '', devices: [{ id: ID_A, name: 'a', addresses: [] }] })

function index(file: object, folder = 'v'): Buffer {
  return frame(
    1,
    encode(FULL_INDEX, {
      folder,
      files: [{ version: { counters: [{ id: 1n, value: 1n }] }, sequence: 1, ...file }] as never,
      last_sequence: 1,
    }),
  )
}

function request(fields: object): Buffer {
  return frame(3, encode(REQUEST, { id: 9, folder: 'v', name: 'x', size: 10, hash: HASH, ...fields }))
}

const BLOCK = { size: 1, hash: HASH }

/** What the peer sends, by the name of the row; `refuse` is the error of our model. */
const scripts: Readonly<Record<string, { readonly send: readonly Buffer[]; readonly refuse?: string }>> = {
  'valid CC then ping: stays up': { send: [SHARED, PING] },
  'Index before ClusterConfig': { send: [index({ name: 'd', type: 1 })] },
  'Ping before ClusterConfig': { send: [PING] },
  'unknown message type 42 after CC': { send: [EMPTY, frame(42, Buffer.from('junk'))] },
  'unknown compression 7': { send: [EMPTY, frame(1, Buffer.from('junk'), 7)] },
  'message length 500000001': { send: [EMPTY, Buffer.from('000208011dcd6501', 'hex')] },
  'header length 0x8000': { send: [EMPTY, Buffer.from('8000', 'hex'), Buffer.alloc(0x8000)] },
  'garbage protobuf in Index': { send: [EMPTY, frame(1, Buffer.from('ffffffffff', 'hex'))] },
  'Request unclean name a//b': { send: [EMPTY, request({ name: 'a//b' })] },
  'Request name ../x': { send: [EMPTY, request({ name: '../x' })] },
  'Request empty name': { send: [EMPTY, request({ name: '' })] },
  'Request size -1': { send: [EMPTY, request({ size: -1 })] },
  'Request size 64 MiB': { send: [EMPTY, request({ size: 64 * 1024 * 1024 })] },
  'Index: file without blocks': { send: [EMPTY, index({ name: 'q', size: 1 })] },
  'Index: directory with blocks': { send: [EMPTY, index({ name: 'q', type: 1, blocks: [BLOCK] })] },
  'Index: deleted with blocks': { send: [EMPTY, index({ name: 'q', deleted: true, blocks: [BLOCK] })] },
  'Index for unknown folder': { send: [EMPTY, index({ name: 'd', type: 1 }, 'zzz')], refuse: 'zzz: no such folder' },
  'Index non-increasing sequence': {
    send: [EMPTY, index({ name: 'd', type: 1, sequence: 5 }), index({ name: 'e', type: 1, sequence: 5 })],
  },
  'CC without recipient device': { send: [SHARED], refuse: 'local device missing in cluster config' },
  'CC without sender device': { send: [SHARED], refuse: 'remote device missing in cluster config' },
  'empty CC': { send: [EMPTY] },
  'second CC on same connection': { send: [SHARED, SHARED] },
  'CC with encryption token where none expected': {
    send: [SHARED],
    refuse: 'remote expects to exchange encrypted data, but is configured for plain data',
  },
  'Response with unknown id': { send: [EMPTY, frame(4, encode(RESPONSE, { id: 77, data: HASH }))] },
  'LZ4 flag with garbage block': { send: [EMPTY, frame(1, Buffer.from('00000100ffffffff', 'hex'), 1)] },
  'Close from us': { send: [EMPTY, frame(7, Buffer.from('0a03627965', 'hex'))] },
  'Index with invalid UTF-8 in a name': { send: [EMPTY, frame(1, Buffer.from('0a017612060a02c3281001', 'hex'))] },
  'Index with NUL and control characters in a directory name': { send: [EMPTY, index({ name: 'a\0\x01b', type: 1 })] },
  'Index with a non-NFC name': { send: [EMPTY, index({ name: 'u\u0308', type: 1 })] },
  'unknown field 500 in ClusterConfig and FileInfo': {
    send: [frame(0, Buffer.from('a21f0178', 'hex')), frame(1, Buffer.from('0a017612090a01641001a21f0178', 'hex'))],
  },
  'unknown file type 9': { send: [EMPTY, index({ name: 'q', type: 9 })] },
  'same folder twice in ClusterConfig': {
    send: [config({ id: 'v', label: '', devices: [] }, { id: 'v', label: 'again', devices: [] })],
  },
  'unknown folder in ClusterConfig': { send: [config({ id: 'new-one', label: 'New', devices: [] })] },
  'paused folder (stop_reason 1)': { send: [config({ id: 'v', label: '', stop_reason: 1, devices: [] })] },
}

/** Rows about more than one connection, and the one in which we follow 2.x: it closes where 1.29.5 stayed. */
const ELSEWHERE = ['2nd connection while 1 up (num_connections 1)', 'symlink with size and file type SYMLINK_FILE (2)']

test('every measured row is tested here or listed as tested elsewhere', () => {
  assert.deepEqual(
    rows.map((row) => row.name).filter((name) => scripts[name] === undefined),
    ELSEWHERE,
  )
})

for (const row of rows) {
  const script = scripts[row.name]
  if (script === undefined) continue
  test(`as measured: ${row.name}`, async () => {
    const refuse = async (): Promise<void> => {
      throw new Error(script.refuse)
    }
    const overrides: Partial<ProtocolHandler> =
      script.refuse === undefined
        ? {}
        : { clusterConfig: script.send.length === 1 ? refuse : async () => {}, index: refuse }
    const { stream, connection, running } = await openConnection(overrides)
    stream.feed(...script.send)
    await settle()
    if (row.up === true || row.msg !== undefined) {
      assert.equal(connection.closed.aborted, false)
      const responses = stream.frames().filter(({ type }) => type === 4)
      if (row.msg === undefined) assert.deepEqual(responses, [])
      else
        assert.deepEqual(
          responses.map(({ body }) => ({ ...decode(RESPONSE, body, 0), data: undefined })),
          [{ ...row.msg, data: undefined }],
        )
      await connection.close('done')
    } else {
      await running
      assert.equal(connection.closed.aborted, true)
      assert.ok(stream.closed)
      assert.equal(closeReason(stream) ?? null, row.reason ?? row.close)
      assert.equal(
        stream.frames().filter(({ type }) => type === 7).length,
        closeReason(stream) === undefined ? 0 : 1,
        'one Close at most',
      )
    }
    await running
  })
}

test('B-07: allowed order of messages, and messages after the end', async () => {
  let tried = 0
  const early: readonly (readonly [string, Buffer, string])[] = [
    [
      'IndexUpdate',
      frame(2, encode(FULL_INDEX, { folder: 'v' })),
      'protocol error on index update for v: invalid state 0',
    ],
    ['Request', request({ name: 'a' }), 'protocol error on request for "a" in v: invalid state 0'],
    ['Response', frame(4, encode(RESPONSE, { id: 1 })), 'protocol error on response: invalid state 0'],
    ['DownloadProgress', frame(5, new Uint8Array(0)), 'protocol error on download-progress: invalid state 0'],
  ]
  for (const [name, bytes, reason] of early) {
    const { stream, running, handler } = await openConnection()
    stream.feed(bytes)
    await running
    assert.equal(closeReason(stream), reason, name)
    assert.deepEqual(handler.calls, [])
    tried++
  }
  const afterClose = await openConnection()
  afterClose.stream.feed(Buffer.concat([EMPTY, frame(7, new Uint8Array(0)), index({ name: 'd', type: 1 }), EMPTY]))
  await afterClose.running
  assert.deepEqual(
    afterClose.handler.calls.map(([name]) => name),
    ['clusterConfig'],
    'messages after Close are ignored',
  )
  assert.equal(closeReason(afterClose.stream), 'closed by remote: ')

  const closeFirst = await openConnection()
  closeFirst.stream.feed(frame(7, new Uint8Array(0)))
  await closeFirst.running
  assert.equal(closeReason(closeFirst.stream), 'closed by remote: ')

  const flood = await openConnection()
  flood.stream.feed(EMPTY, Buffer.concat(Array.from({ length: 100_000 }, () => PING)))
  await settle()
  assert.equal(flood.connection.closed.aborted, false)
  assert.equal(flood.stream.frames().length, 1, 'pings get no response')
  await flood.connection.close('done')
  await flood.running
  reportRow({ id: 'B-07', tried: tried + 3, pings: 100_000 })
})

test('B-16: invalid device IDs in a ClusterConfig are refused', async () => {
  const ids = [0, 2, 31, 33, 64].map((length) => new Uint8Array(length).fill(3))
  for (const id of [...ids, new Uint8Array(32)]) {
    const { stream, running, handler } = await openConnection()
    stream.feed(config({ id: 'v', label: '', devices: [{ id, name: '', addresses: [] }] }))
    await running
    assert.match(closeReason(stream) ?? '', /device ID invalid/)
    assert.deepEqual(handler.calls, [])
  }
  reportRow({ id: 'B-16', tried: ids.length + 1, refused: ids.length + 1 })
})

test('B-15: every text of a ClusterConfig, a Request and a DownloadProgress may be empty', async () => {
  const { stream, connection, handler, running } = await openConnection()
  stream.feed(config({ id: '', label: '', devices: [{ id: ID_A, name: '', addresses: [''], cert_name: '' }] }))
  stream.feed(request({ folder: '', hash: new Uint8Array(0), size: 0 }), frame(5, Buffer.from('1200', 'hex')))
  await settle()
  assert.equal(connection.closed.aborted, false)
  assert.deepEqual(
    handler.calls.map(([name]) => name),
    ['clusterConfig', 'request', 'downloadProgress'],
  )
  await connection.close('')
  await running
  assert.equal(closeReason(stream), '')
  reportRow({ id: 'B-15', tried: 3 })
})
