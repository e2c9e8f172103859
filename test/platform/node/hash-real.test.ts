import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  lstatSync,
  openSync,
  closeSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { HASH_OK, hashRange } from '../../../src/platform/files/hash-file.ts'
import type { HashJob, HashResult } from '../../../src/platform/hasher.ts'
import { openHashSource } from '../../../src/platform/node/disk/hash-source.ts'
import {
  HashBuffer,
  joinRanges,
  packTask,
  runTask,
  unpackReport,
  type RangeResult,
} from '../../../src/platform/node/threads/hash-task.ts'
import { createNodeHasher } from '../../../src/platform/node/threads/hash.ts'
import { MemoryIndex } from '../../scanner/memory-index.ts'
import { reportRow } from '../../support/effort.ts'
import { scratchDirectory } from '../../support/scratch.ts'
import { scanDisk } from './scan-disk.ts'

const NEVER = new AbortController().signal
const [KIB, BLOCK, MIB] = [1_024, 128 * 1_024, 1_024 * 1_024]
const DISK_WORKER = new URL('../../../src/platform/node/threads/disk-worker.ts', import.meta.url)

const sha256 = (content: string | Uint8Array): Buffer => createHash('sha256').update(content).digest()

/** What is put in the place of `root/victim` after the walk saw a file there and before it is hashed. */
const SWAPS: Readonly<Record<string, (victim: string, outside: string) => void>> = {
  'a symlink to a file outside of the same size and time': (victim, outside) => {
    const { atime, mtime } = lstatSync(victim)
    utimesSync(outside, atime, mtime)
    unlinkSync(victim)
    symlinkSync(outside, victim)
  },
  'a symlink that leads nowhere': (victim) => {
    unlinkSync(victim)
    symlinkSync('/nowhere/at/all', victim)
  },
  'a symlink to itself': (victim) => {
    unlinkSync(victim)
    symlinkSync('victim', victim)
  },
  'another file of another size': (victim) => {
    writeFileSync(`${victim}.new`, 'a longer content than before')
    renameSync(`${victim}.new`, victim)
  },
  nothing: (victim) => unlinkSync(victim),
}

test('C-11: an item replaced between walk and hashing is never hashed as the file', async () => {
  let tried = 0
  let mixedContentFiles = 0
  let escaped = 0
  for (const many of [false, true]) {
    for (const [what, swap] of Object.entries(SWAPS)) {
      using scratch = scratchDirectory()
      using elsewhere = scratchDirectory()
      const secret = 'secret!'
      writeFileSync(`${elsewhere.path}/secret`, secret)
      writeFileSync(`${scratch.path}/victim`, 'victim!')
      // With neighbours the file is hashed in a thread, alone it is hashed at once.
      if (many) for (let i = 0; i < 20; i++) writeFileSync(`${scratch.path}/n${i}`, `${i}`)
      const index = new MemoryIndex()
      let swapped = 0
      const result = await scanDisk(scratch.path, index, (hasher) => ({
        hash: (...args) => {
          if (swapped++ === 0) swap(`${scratch.path}/victim`, `${elsewhere.path}/secret`)
          return hasher.hash(...args)
        },
      }))
      tried++
      assert.ok(swapped > 0, what)
      const hashes = index.records.get('victim')?.blockHashes
      if (hashes !== undefined) mixedContentFiles++
      if (hashes !== undefined && sha256(secret).equals(hashes)) escaped++
      const problems = what === 'nothing' ? [] : [{ path: 'victim', error: 'hashing: file changed during hashing' }]
      assert.deepEqual(result.problems, problems, what)
      assert.equal(index.live.length, many ? 20 : 0)
    }
  }
  reportRow({ id: 'C-11', part: 'swapped before hashing', tried, mixedContentFiles, escaped })
  assert.deepEqual({ mixedContentFiles, escaped }, { mixedContentFiles: 0, escaped: 0 })
})

function jobFor(path: string): HashJob {
  const { mtimeNs, size } = lstatSync(path, { bigint: true })
  const modifiedNs = Number(mtimeNs % 1_000_000_000n)
  return {
    path,
    sizeBytes: Number(size),
    modifiedS: Number(mtimeNs / 1_000_000_000n),
    modifiedNs,
    blockSizeBytes: BLOCK,
  }
}

/**
 * Overwrites a byte and puts the time back, until the system's clock has moved on enough to show in the change time.
 */
function changeInSecret(path: string, positionBytes: number): void {
  const { ctimeNs } = lstatSync(path, { bigint: true })
  do {
    const file = openSync(path, 'r+')
    writeSync(file, 'X', positionBytes)
    closeSync(file)
    utimesSync(path, 1_000, 1_000)
  } while (lstatSync(path, { bigint: true }).ctimeNs === ctimeNs)
}

function putAside(path: string, sizeBytes: number): HashJob {
  writeFileSync(path, Buffer.alloc(sizeBytes, 'o'))
  utimesSync(path, 1_000, 1_000)
  return jobFor(path)
}

test('C-11: a change with restored size and time is detected, inside a range and between two', () => {
  using scratch = scratchDirectory()
  const path = `${scratch.path}/file`
  const sizeBytes = 8 * BLOCK
  let mixedContentFiles = 0
  let tried = 0

  for (const changeAt of [0, 1, 4, 7]) {
    const job = putAside(path, sizeBytes)
    using source = openHashSource(path)
    let reads = 0
    const meddled = {
      stat: () => source.stat(),
      read: (into: Uint8Array, positionBytes: number) => {
        if (reads++ === changeAt) changeInSecret(path, sizeBytes - 1)
        return source.read(into, positionBytes)
      },
    }
    tried++
    const whole = { startBytes: 0, endBytes: sizeBytes }
    if (hashRange(meddled, job, whole, { buffer: new Uint8Array(BLOCK) }, new Uint8Array(8 * 32)) !== undefined)
      mixedContentFiles++
    assert.ok(reads > changeAt)
    assert.deepEqual(jobFor(path), job, 'size and time do not give it away')
  }

  for (let ranges = 2; ranges <= 4; ranges++) {
    for (let changeBefore = 1; changeBefore <= ranges; changeBefore++) {
      const job = putAside(path, sizeBytes)
      const found: RangeResult[] = []
      for (let i = 0; i < ranges; i++) {
        if (i === changeBefore) changeInSecret(path, 0)
        const startBytes = Math.floor((8 * i) / ranges) * BLOCK
        const parts = [{ ...job, startBytes, endBytes: Math.floor((8 * (i + 1)) / ranges) * BLOCK }]
        const report = runTask(packTask(1, parts), new HashBuffer())
        found.push({ result: unpackReport(report, parts)[0]!, stamp: report.stamps[0]! })
        assert.equal(found[i]!.result.kind, 'hashed', 'each range for itself sees nothing')
      }
      const changed = changeBefore < ranges
      tried += changed ? 1 : 0
      const joined = joinRanges(found)
      if (changed && joined.kind === 'hashed') mixedContentFiles++
      if (!changed) assert.equal(joined.kind, 'hashed')
    }
  }
  reportRow({ id: 'C-11', part: 'time put back', tried, mixedContentFiles })
  assert.equal(mixedContentFiles, 0)
})

test('the memory for hashing is used again, and freed at once when it is too small or released', () => {
  const buffer = new HashBuffer()
  const small = buffer.for(MIB)
  assert.equal(buffer.for(BLOCK), small)
  const large = buffer.for(2 * MIB)
  assert.deepEqual([small.length, large.length], [0, 2 * MIB])
  buffer.release()
  assert.equal(large.length, 0)
  assert.equal(buffer.for(1).length, MIB)
})

test('a thread that has hashed frees the memory for it', async () => {
  using scratch = scratchDirectory()
  const path = `${scratch.path}/large`
  writeFileSync(path, Buffer.alloc(8 * MIB))
  utimesSync(path, 1, 1)
  const part = { path, sizeBytes: 8 * MIB, modifiedS: 1, modifiedNs: 0, blockSizeBytes: MIB }
  const worker = new Worker(DISK_WORKER)
  try {
    worker.postMessage(packTask(1, [part]), [])
    const [report] = await once(worker, 'message')
    assert.deepEqual([...report.codes], [HASH_OK])
    const externalBytes = async () => (await worker.getHeapStatistics()).external_memory
    const withBuffer = await externalBytes()
    const endMs = performance.now() + 20_000
    while (withBuffer - (await externalBytes()) < MIB && performance.now() < endMs) await setTimeout(20)
    assert.ok(withBuffer - (await externalBytes()) >= MIB)
  } finally {
    await worker.terminate()
  }
})

const CRASHING = new URL('./crashing-hash-worker.ts', import.meta.url)

function files(root: string, names: readonly string[]): HashJob[] {
  return names.map((name) => {
    writeFileSync(`${root}/${name}`, `content of ${name}`)
    return jobFor(`${root}/${name}`)
  })
}

function assertHashed(results: readonly HashResult[], names: readonly string[]): void {
  assert.deepEqual(
    results.map((result) => result.kind === 'hashed' && Buffer.from(result.blockHashes)),
    names.map((name) => sha256(`content of ${name}`)),
  )
}

test('hasher: a crashed thread is replaced, and its tasks are retried', async () => {
  using scratch = scratchDirectory()
  await using hasher = createNodeHasher({ threads: 2, entry: CRASHING })
  const names = [
    ...Array.from({ length: 600 }, (_, i) => `f${i}`),
    'crash-once',
    ...Array.from({ length: 600 }, (_, i) => `g${i}`),
  ]
  let reported = 0
  assertHashed(
    await hasher.hash(
      files(scratch.path, names),
      (count) => {
        reported += count
      },
      NEVER,
    ),
    names,
  )
  assert.equal(
    reported,
    names.reduce((sum, name) => sum + `content of ${name}`.length, 0),
  )
})

test('hasher: a file that crashes two threads fails; the pool continues', async () => {
  using scratch = scratchDirectory()
  await using hasher = createNodeHasher({ threads: 2, entry: CRASHING })
  const others = ['a', 'b', 'c']
  const [bad, good] = await Promise.allSettled([
    hasher.hash(files(scratch.path, ['crash-always', 'beside']), () => {}, NEVER),
    hasher.hash(files(scratch.path, others), () => {}, NEVER),
  ])
  assert.equal(bad.status, 'rejected')
  assert.match(String(bad.reason), /a thread for the disk ended/)
  // Its neighbour may have lost two threads to it as well; what comes later has new ones.
  if (good.status === 'fulfilled') assertHashed(good.value, others)
  for (let round = 0; round < 3; round++)
    assertHashed(await hasher.hash(files(scratch.path, others), () => {}, NEVER), others)
})

test('hasher: threads that cannot start fail the call, not the process', async () => {
  using scratch = scratchDirectory()
  await using hasher = createNodeHasher({ threads: 2, entry: new URL('./no-such-worker.ts', import.meta.url) })
  await assert.rejects(
    hasher.hash(files(scratch.path, ['a', 'b']), () => {}, NEVER),
    /no-such-worker/,
  )
})

test('hasher: an aborted call is not retried after a crash of its thread', async () => {
  using scratch = scratchDirectory()
  await using hasher = createNodeHasher({ threads: 1, entry: CRASHING })
  const stop = new AbortController()
  const reason = new Error('given up')
  const given = hasher.hash(files(scratch.path, ['crash-once', 'x']), () => {}, stop.signal)
  stop.abort(reason)
  await assert.rejects(given, (error) => error === reason)
  assertHashed(await hasher.hash(files(scratch.path, ['a', 'b']), () => {}, NEVER), ['a', 'b'])
})

test('hasher: with one task at a time a large file is hashed completely', async () => {
  using scratch = scratchDirectory()
  await using hasher = createNodeHasher({ threads: 2 })
  const content = Buffer.alloc(70 * KIB * KIB, 'content')
  writeFileSync(`${scratch.path}/large`, content)
  const results = await hasher.hash([jobFor(`${scratch.path}/large`)], () => {}, NEVER, { tasksMax: 1 })
  assert.ok(results[0]?.kind === 'hashed')
  assert.equal(results[0].blockHashes.length, 560 * 32)
  assert.deepEqual(Buffer.from(results[0].blockHashes.subarray(-32)), sha256(content.subarray(-BLOCK)))
})
