import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, readdirSync, rmSync, watch, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { BarePair, recordBarePull } from './bare-pair.ts'
import type { Bench } from './bench-options.ts'
import { FOLDER } from './measure.ts'
import type { Pair, SyncFigures } from './pair.ts'
import { expectEqualTrees, pairsOf, withPair, withTree, type Recorder } from './pairs.ts'
import { BARE, RSYNC } from './rows.ts'
import { copyLimit, fsyncLimit, rsyncLimit, tlsLimit } from './sync-limits.ts'
import { largeFiles, makeTree, sameSizeFiles, type Tree } from './tree.ts'

const MIB = 1024 * 1024
const SMALL_BYTES = 4 * 1024
const POLL_MS = 10
const REPLACE_ROUNDS = 10
/** After an index update both programs batch the next ones for a moment; a single new file is measured. */
const QUIET_MS = 400

/** Rows about two devices: every group measures all pairs in turn, and the limit between them. */
export const SYNC_GROUPS: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  'sync-large': syncLarge,
  'sync-small': syncSmall,
  'sync-delta': syncDelta,
  'sync-one': syncOne,
  'sync-replace': syncReplace,
}

async function syncLarge(bench: Bench): Promise<void> {
  const sizeMib = bench.sizes.syncLargeMib
  await withTree(largeFiles(1, sizeMib), async (tree) => {
    const perSecond = (elapsedMs: number) => (sizeMib * MIB) / elapsedMs / 1000
    for (let round = 0; round < bench.rounds; round++) {
      const limit = await tlsLimit(bench, sizeMib * MIB)
      bench.record({ row: 'sync-large', subject: 'limit', value: perSecond(limit.elapsedMs), cpuS: limit.cpuS })
      bench.record({ row: 'sync-large-cpu', subject: 'limit', value: limit.cpuS + copyCpuS(bench, tree) })
      await recordBarePull(bench, tree, 'sync-large', perSecond)
      for (const ends of pairsOf(bench.programs)) {
        await withPair(bench, ends, tree, async (pair, record) => {
          const figures = await pair.connect(tree.files)
          expectEqualTrees(tree, pair)
          recordBoth('sync-large', perSecond(figures.elapsedMs), figures, pair, record)
        })
      }
    }
  })
}

/** CPU seconds of reading, hashing and writing the only file of a tree, each once. */
function copyCpuS(bench: Bench, tree: Tree): number {
  const copy = join(bench.scratch, 'limit-copy')
  const { cpuS } = copyLimit(join(tree.path, onlyFile(tree)), copy)
  rmSync(copy)
  return cpuS
}

async function syncSmall(bench: Bench): Promise<void> {
  const files = bench.sizes.syncSmall
  await withTree(sameSizeFiles(files, SMALL_BYTES), async (tree) => {
    for (let round = 0; round < bench.rounds; round++) {
      const limit = fsyncLimit(join(bench.scratch, `limit-files-${round}`), files)
      bench.record({ row: 'sync-small', subject: 'limit', value: (files * 1000) / limit.elapsedMs, cpuS: limit.cpuS })
      bench.record({ row: 'sync-small-cpu', subject: 'limit', value: limit.cpuS })
      const rsync = rsyncLimit(tree.path, join(bench.scratch, `rsync-files-${round}`))
      if (rsync !== undefined) {
        bench.record({ row: 'sync-small', subject: RSYNC, value: (files * 1000) / rsync.elapsedMs, cpuS: rsync.cpuS })
        bench.record({ row: 'sync-small-cpu', subject: RSYNC, value: rsync.cpuS })
      }
      await recordBarePull(bench, tree, 'sync-small', (elapsedMs) => (files * 1000) / elapsedMs)
      for (const ends of pairsOf(bench.programs)) {
        await withPair(bench, ends, tree, async (pair, record) => {
          const figures = await pair.connect(files)
          expectEqualTrees(tree, pair)
          recordBoth('sync-small', (files * 1000) / figures.elapsedMs, figures, pair, record)
        })
      }
    }
  })
}

/** 4 KiB in the middle of a block, repeatedly, each time other bytes. */
async function syncDelta(bench: Bench): Promise<void> {
  const sizeMib = bench.sizes.syncLargeMib
  await withTree(largeFiles(1, sizeMib), async (tree) => {
    const sub = onlyFile(tree)
    for (let round = 0; round < bench.rounds; round++) {
      for (const ends of pairsOf(bench.programs)) {
        await withPair(bench, ends, tree, async (pair, record) => {
          await pair.connect(tree.files)
          overwrite(join(tree.path, sub), (sizeMib * MIB) / 2 + 5 * SMALL_BYTES)
          const polls = pollMissing(join(pair.sinkRoot, sub))
          const { elapsedMs, sourceCpuS, sinkCpuS, wireBytes } = await pair.scanned(tree.files, sub)
          const { missing } = polls.stop()
          expectEqualTrees(tree, pair)
          record('sync-delta', elapsedMs, { cpuS: sourceCpuS + sinkCpuS })
          record('sync-delta-wire', wireBytes / 1024)
          record('sync-delta-missing', missing)
        })
      }
    }
  })
}

/** A new small file: from the scan request at the source to its name at the sink. */
async function syncOne(bench: Bench): Promise<void> {
  const tree = makeTree(sameSizeFiles(100, SMALL_BYTES))
  for (let round = 0; round < bench.rounds; round++) {
    await bareOne(bench, tree)
    for (const ends of pairsOf(bench.programs)) {
      await withPair(bench, ends, tree, async (pair, record) => {
        await pair.connect(tree.files)
        const scan = (name: string) => pair.source.call('POST', `/rest/db/scan?folder=${FOLDER}&sub=${name}`)
        for await (const elapsedMs of newFiles(bench, tree, pair.sinkRoot, scan)) record('sync-one', elapsedMs)
      })
    }
  }
}

async function bareOne(bench: Bench, tree: Tree): Promise<void> {
  await using pair = await BarePair.start(bench, tree)
  await pair.pull()
  const announced = newFiles(bench, tree, pair.sinkRoot, (name) => pair.announce(name))
  for await (const elapsedMs of announced) bench.record({ row: 'sync-one', subject: BARE, value: elapsedMs })
}

/** Makes one file after the other and announces it: the time from then on to its name at the sink. */
async function* newFiles(
  bench: Bench,
  tree: Tree,
  sinkRoot: string,
  announce: (name: string) => Promise<unknown>,
): AsyncGenerator<number> {
  for (let repeat = 0; repeat < bench.repeats / 10; repeat++) {
    const name = `new-${repeat}.txt`
    writeFileSync(join(tree.path, name), randomBytes(SMALL_BYTES / 4))
    const present = appearance(sinkRoot, name)
    const startedMs = performance.now()
    const announced = announce(name)
    yield (await present) - startedMs
    await announced
    await new Promise((done) => setTimeout(done, QUIET_MS))
  }
  for (const name of readdirSync(tree.path)) if (name.startsWith('new-')) rmSync(join(tree.path, name))
}

/** Files of two sizes, replaced as a whole while their presence is polled. */
async function syncReplace(bench: Bench): Promise<void> {
  for (const [row, sizeBytes] of [
    ['sync-replace-small', SMALL_BYTES],
    ['sync-replace-large', 64 * MIB],
  ] as const) {
    await withTree(sameSizeFiles(1, sizeBytes), async (tree) => {
      const sub = onlyFile(tree)
      for (const ends of pairsOf(bench.programs)) {
        await withPair(bench, ends, tree, async (pair, record) => {
          await pair.connect(tree.files)
          const polls = pollMissing(join(pair.sinkRoot, sub))
          for (let round = 0; round < REPLACE_ROUNDS; round++) {
            writeFileSync(join(tree.path, sub), randomBytes(sizeBytes))
            await pair.scanned(tree.files, sub)
          }
          const { missing } = polls.stop()
          expectEqualTrees(tree, pair)
          record(row, missing)
        })
      }
    })
  }
}

/** The speed, the CPU seconds of both ends together, and what each of them took. */
export function recordBoth(
  row: string,
  speed: number,
  { sourceCpuS, sinkCpuS }: SyncFigures,
  pair: Pair,
  record: Recorder,
): void {
  const cpuS = sourceCpuS + sinkCpuS
  record(row, speed, { cpuS })
  record(`${row}-cpu`, cpuS)
  const [source, sink] = [pair.source.memoryMib(), pair.sink.memoryMib()]
  record(`${row}-source-rss`, source.peak, { cpuS: sourceCpuS, rssMib: source.now })
  record(`${row}-sink-rss`, sink.peak, { cpuS: sinkCpuS, rssMib: sink.now })
}

function overwrite(path: string, offsetBytes: number): void {
  const descriptor = openSync(path, 'r+')
  writeSync(descriptor, randomBytes(SMALL_BYTES), 0, SMALL_BYTES, offsetBytes)
  closeSync(descriptor)
}

/** The path of the only file of a tree, relative to it. */
function onlyFile(tree: Tree): string {
  const names = readdirSync(tree.path, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.bin'))
  const [name] = names
  if (name === undefined || names.length > 1) throw new Error(`${tree.path} holds ${names.length} files`)
  return name
}

/** Checks a name every 10 ms, and counts how often it is missing. */
function pollMissing(path: string): { stop(): { readonly polls: number; readonly missing: number } } {
  let polls = 0
  let missing = 0
  const timer = setInterval(() => {
    polls++
    if (!existsSync(path)) missing++
  }, POLL_MS)
  return {
    stop: () => {
      clearInterval(timer)
      return { polls, missing }
    },
  }
}

/** The time at which a name is in a directory, by `performance.now`. */
async function appearance(directory: string, name: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const watcher = watch(directory, (_, changed) => {
    if (changed === name && existsSync(join(directory, name))) resolve(performance.now())
  })
  const timer = setTimeout(() => resolve(Number.NaN), 60_000)
  try {
    const seenMs = await promise
    if (Number.isNaN(seenMs)) throw new Error(`${name} never arrived`)
    return seenMs
  } finally {
    clearTimeout(timer)
    watcher.close()
  }
}
