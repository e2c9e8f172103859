import { join } from 'node:path'
import { mkdirSync } from 'node:fs'
import { RelayServer } from '../test/support/strelaysrv.ts'
import { BarePair } from './bare-pair.ts'
import type { Bench } from './bench-options.ts'
import type { Pair } from './pair.ts'
import { expectEqualTrees, pairsOf, withPair, withTree, type Recorder } from './pairs.ts'
import { BARE } from './rows.ts'
import { largeFiles, makeTree, sameSizeFiles } from './tree.ts'

const MIB = 1024 * 1024
const RESUMES = 6
/** The namespace of the bench: it has no other interface. */
const LOOPBACK = { address: '127.0.0.1', inside: [] }

/** Rows about how devices reach each other. */
export const REACH_GROUPS: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  'sync-resume': syncResume,
  'sync-relay': syncRelay,
}

/** A paused device is resumed: from the request to the connection, the first one of both daemons, then more. */
async function syncResume(bench: Bench): Promise<void> {
  const tree = makeTree(sameSizeFiles(10, 1_024))
  for (let round = 0; round < bench.rounds; round++) {
    await using bare = await BarePair.start(bench, tree)
    bench.record({ row: 'sync-resume-cold', subject: BARE, value: (await bare.pull()).connectedMs })
    for (const program of bench.programs) {
      await withPair(bench, { source: program, sink: program }, tree, async (pair, record) => {
        record('sync-resume-cold', await pair.resumeFirst())
        for (let repeat = 0; repeat < RESUMES; repeat++) record('sync-resume', await pair.resume())
      })
    }
  }
}

/** The same large file through the real relay server. */
async function syncRelay(bench: Bench): Promise<void> {
  const sizeMib = bench.sizes.syncLargeMib
  const directory = join(bench.scratch, 'relay')
  mkdirSync(directory)
  await using server = new RelayServer(LOOPBACK, directory)
  const relay = await server.start()
  await withTree(largeFiles(1, sizeMib), async (tree) => {
    for (let round = 0; round < bench.rounds; round++) {
      for (const ends of pairsOf(bench.programs)) {
        const use = async (pair: Pair, record: Recorder): Promise<void> => {
          const { elapsedMs, sourceCpuS, sinkCpuS } = await pair.connect(tree.files)
          expectEqualTrees(tree, pair)
          record('sync-relay', (sizeMib * MIB) / elapsedMs / 1000, { cpuS: sourceCpuS + sinkCpuS })
        }
        await withPair(bench, ends, tree, use, { relay })
      }
    }
  })
}
