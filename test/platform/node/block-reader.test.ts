import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { BlockOrder } from '../../../src/platform/files/block-reader.ts'
import { NodeBlockReader } from '../../../src/platform/node/block-reader.ts'
import { exactStat } from '../../../src/platform/node/disk/disk-stat.ts'
import { DiskThreads } from '../../../src/platform/node/threads/disk-threads.ts'
import { SharedMemory } from '../../../src/platform/node/threads/shared-memory.ts'
import { asOrdinaryUser } from '../../support/ordinary-user.ts'
import { scratchDirectory } from '../../support/scratch.ts'

const KIB = 1_024
const CRASHING = new URL('./crashing-read-worker.ts', import.meta.url)
const SLOW = new URL('./slow-read-worker.ts', import.meta.url)

function orderFor(root: string, name: string, content: Uint8Array): BlockOrder {
  writeFileSync(join(root, name), content)
  return { root, name, offsetBytes: 0, sizeBytes: content.length, hash: createHash('sha256').update(content).digest() }
}

test('one small block starts no thread, several do, and then single ones use it too', async () => {
  using scratch = scratchDirectory()
  await using threads = new DiskThreads({ threads: 1 })
  const blocks = new NodeBlockReader(threads, () => 0)
  const small = orderFor(scratch.path, 'small', Buffer.from('small'))
  assert.equal((await blocks.read(small)).kind, 'read')
  assert.equal((await blocks.read(small)).kind, 'read')
  assert.equal(threads.isStarted, false)
  assert.equal((await blocks.read(orderFor(scratch.path, 'large', Buffer.alloc(200 * KIB)))).kind, 'read')
  assert.equal(threads.isStarted, true)
  assert.equal((await blocks.read(small)).kind, 'read')
})

/** How many tasks the threads get. */
function countTasks(threads: DiskThreads): { count: number } {
  const read = threads.read.bind(threads)
  const tasks = { count: 0 }
  threads.read = (...args) => {
    tasks.count++
    return read(...args)
  }
  return tasks
}

test('beside a thread, a small block after a pause is read inline, those after it in the thread', async () => {
  using scratch = scratchDirectory()
  await using threads = new DiskThreads({ threads: 1 })
  const inThread = countTasks(threads)
  let nowMs = 0
  const blocks = new NodeBlockReader(threads, () => nowMs)
  const small = orderFor(scratch.path, 'small', Buffer.from('small'))
  assert.equal((await blocks.read(orderFor(scratch.path, 'large', Buffer.alloc(200 * KIB)))).kind, 'read')
  assert.equal(inThread.count, 1)
  nowMs += 50
  assert.equal((await blocks.read(small)).kind, 'read')
  assert.equal(inThread.count, 1)
  const results = await Promise.all([blocks.read(small), blocks.read(small)])
  assert.deepEqual(
    results.map(({ kind }) => kind),
    ['read', 'read'],
  )
  assert.equal(inThread.count, 2)
})

test('after a block that the disk took long for, none is read inline for ten seconds', async () => {
  using scratch = scratchDirectory()
  await using threads = new DiskThreads({ threads: 1 })
  const inThread = countTasks(threads)
  let nowMs = 0
  let tookMs = 6
  const blocks = new NodeBlockReader(threads, () => (nowMs += tookMs))
  const small = orderFor(scratch.path, 'small', Buffer.from('small'))
  await blocks.read(small)
  assert.equal(inThread.count, 0)
  tookMs = 0
  for (const waitMs of [1_000, 8_000]) {
    nowMs += waitMs
    await blocks.read(small)
  }
  assert.equal(inThread.count, 2)
  nowMs += 1_100
  await blocks.read(small)
  assert.equal(inThread.count, 2)
})

test('large blocks get a second thread where they are hashed, and share one where they are only read', async () => {
  using scratch = scratchDirectory()
  const order = orderFor(scratch.path, 'large', Buffer.alloc(2_048 * KIB, 'x'))
  const recorded = exactStat(statSync(join(scratch.path, 'large'), { bigint: true }))
  for (const [each, count] of [
    [order, 2],
    [{ ...order, recorded }, 1],
  ] as const) {
    await using threads = new DiskThreads({ threads: 2 })
    const blocks = new NodeBlockReader(threads)
    await Promise.all(Array.from({ length: 4 }, () => blocks.read(each)))
    assert.equal(threads.startedCount, count)
  }
})

test('a second thread reads from a slow disk', async () => {
  using scratch = scratchDirectory()
  const order = orderFor(scratch.path, 'large', Buffer.alloc(300 * KIB, 'x'))
  const recorded = exactStat(statSync(join(scratch.path, 'large'), { bigint: true }))
  await using threads = new DiskThreads({ threads: 2, entry: SLOW })
  const blocks = new NodeBlockReader(threads)
  const readTwo = async () => await Promise.all([0, 1].map(() => blocks.read({ ...order, recorded })))
  await readTwo() // the second of these shows that the disk is slow
  await readTwo()
  assert.equal(threads.startedCount, 2)
})

test('a thread that only hashing needed ends while another reads', async () => {
  using scratch = scratchDirectory()
  const order = orderFor(scratch.path, 'large', Buffer.alloc(2_048 * KIB, 'x'))
  const recorded = exactStat(statSync(join(scratch.path, 'large'), { bigint: true }))
  let startedMax = 0 // on a slow machine one may end before the last read
  const onReport = (): void => void (startedMax = Math.max(startedMax, threads.startedCount))
  await using threads = new DiskThreads({ threads: 2, idleMs: 300, onReport })
  const blocks = new NodeBlockReader(threads)
  await Promise.all(Array.from({ length: 4 }, () => blocks.read(order)))
  assert.equal(startedMax, 2)
  const endMs = performance.now() + 10_000
  while (threads.startedCount !== 1 && performance.now() < endMs) {
    const reads = Array.from({ length: 4 }, () => blocks.read({ ...order, recorded }))
    for (const result of await Promise.all(reads)) if (result.kind === 'read') result.releaseBuffer()
  }
  assert.equal(threads.startedCount, 1)
})

test('a crashed thread is replaced; a task that crashes two of them fails alone', async () => {
  using scratch = scratchDirectory()
  await using threads = new DiskThreads({ threads: 2, entry: CRASHING })
  const blocks = new NodeBlockReader(threads)
  const large = Buffer.alloc(300 * KIB, 'x') // goes by itself
  const reads = ['crash-once', 'fine'].map((name) => blocks.read(orderFor(scratch.path, name, large)))
  for (const { kind } of await Promise.all(reads)) assert.equal(kind, 'read')
  await assert.rejects(blocks.read(orderFor(scratch.path, 'crash-always', large)), /ended/)
  assert.equal((await blocks.read(orderFor(scratch.path, 'fine', large))).kind, 'read')
})

test('reads on closed threads reject', async () => {
  using scratch = scratchDirectory()
  const threads = new DiskThreads({ threads: 1 })
  const blocks = new NodeBlockReader(threads)
  const order = orderFor(scratch.path, 'file', Buffer.alloc(200 * KIB))
  const reading = blocks.read(order).then(
    ({ kind }) => kind,
    () => 'reported',
  )
  await threads[Symbol.asyncDispose]()
  assert.equal(await reading, 'reported')
  await assert.rejects(blocks.read(order), /closed/)
})

test('a file that cannot be read rejects with the code of the system', () => {
  using scratch = scratchDirectory()
  orderFor(scratch.path, 'closed', Buffer.from('mine'))
  chmodSync(join(scratch.path, 'closed'), 0)
  const helper = fileURLToPath(new URL('./read-as-user.ts', import.meta.url))
  const [program = '', ...args] = [...asOrdinaryUser(), process.execPath, helper, scratch.path]
  const read = (name: string) => spawnSync(program, [...args, name], { encoding: 'utf8' }).stdout.trim()
  assert.equal(read('closed'), 'EACCES')
  assert.equal(read('missing'), 'absent')
})

test('the headroom of a block belongs to its holder only', async () => {
  using scratch = scratchDirectory()
  await using threads = new DiskThreads({ threads: 1 })
  const blocks = new NodeBlockReader(threads)
  const contents = [70 * KIB, 5, 0, 4 * KIB, 300 * KIB].map((sizeBytes, at) => Buffer.alloc(sizeBytes, at + 1))
  const orders = contents.map((content, at) => orderFor(scratch.path, `file-${at}`, content))
  const single = await blocks.read(orders[1]!)
  const answers = [...(await Promise.all(orders.map((order) => blocks.read(order)))), single]
  for (const answer of answers) {
    assert.ok(answer.kind === 'read' && answer.headroomBytes >= 40)
    const { data, headroomBytes } = answer
    Buffer.from(data.buffer, data.byteOffset - headroomBytes, headroomBytes).fill(0xff)
  }
  const expected = [...contents, contents[1]!]
  answers.forEach((answer, at) => assert.ok(answer.kind === 'read' && expected[at]!.equals(answer.data)))
})

test('a long transfer over three connections makes no memory for blocks after the first of them', async () => {
  using scratch = scratchDirectory()
  await using threads = new DiskThreads({ threads: 1 })
  const blocks = new NodeBlockReader(threads)
  const order = orderFor(scratch.path, 'large', Buffer.alloc(1_024 * KIB))
  const buffers = new Set<ArrayBufferLike>()
  for (let round = 0; round < 3; round++) {
    const open = await Promise.all(Array.from({ length: 12 }, () => blocks.read(order)))
    for (const result of open) {
      assert.ok(result.kind === 'read')
      buffers.add(result.data.buffer)
      result.releaseBuffer()
    }
  }
  assert.equal(buffers.size, 12)
})

test('memory is reused up to the limit', () => {
  const memory = new SharedMemory(1_024 * KIB)
  const [one, two, three] = [memory.take(1), memory.take(300 * KIB), memory.take(700 * KIB)]
  assert.deepEqual(
    [one, two, three].map(({ byteLength }) => byteLength / KIB),
    [260, 516, 1_028],
    'a power of two, and some more',
  )
  for (const piece of [one, two, three]) memory.give(piece)
  assert.equal(memory.keptBytes, 776 * KIB, 'the third would have been too much')
  assert.equal(memory.take(10), one)
  assert.notEqual(memory.take(10), one)
  assert.equal(memory.take(512 * KIB), two)
  assert.equal(memory.keptBytes, 0)
  memory.give(one)
  memory.clear()
  assert.equal(memory.keptBytes, 0)
  assert.notEqual(memory.take(10), one)
})
