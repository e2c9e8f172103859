import { writeFileSync } from 'node:fs'
import type { Bench } from './bench-options.ts'
import type { Pair } from './pair.ts'
import { expectEqualTrees, withPair } from './pairs.ts'
import { makeTree, sameSizeFiles } from './tree.ts'
import { twinfold } from './twinfold.ts'

/** A name, one block, and next to nothing to transfer: what is measured is the cost of a file. */
const TINY_BYTES = 8
const REST_MS = 60_000
/** Larger trees are compared by the counts of the sink only. */
const COMPARED_MAX = 100_000

/** Twinfold with itself, ever more files: the rate, and whether memory grows with their number. */
export async function syncMany(bench: Bench): Promise<void> {
  if (!bench.programs.includes(twinfold)) return
  for (const files of bench.sizes.many) {
    const tree = makeTree(sameSizeFiles(files, TINY_BYTES))
    await withPair(bench, { source: twinfold, sink: twinfold }, tree, async (pair, record) => {
      const row = (name: string) => `sync-many-${files}-${name}`
      const idle = memoriesOf(pair)
      record(row('scan-rss'), idle.source.peak)
      forgetPeaks(pair)
      const figures = await pair.connect(files)
      const peaks = memoriesOf(pair)
      if (files <= COMPARED_MAX) expectEqualTrees(tree, pair)
      record(row('rate'), (files * 1000) / figures.elapsedMs, { cpuS: figures.sourceCpuS + figures.sinkCpuS })
      record(row('cpu'), ((figures.sourceCpuS + figures.sinkCpuS) * 1e6) / files)
      await new Promise((done) => setTimeout(done, REST_MS))
      const rested = memoriesOf(pair)
      for (const end of ['source', 'sink'] as const) {
        record(row(`${end}-idle`), idle[end].now)
        record(row(`${end}-peak`), peaks[end].peak)
        record(row(`${end}-rested`), rested[end].now)
      }
    })
  }
}

function memoriesOf({ source, sink }: Pair) {
  return { source: source.memoryMib(), sink: sink.memoryMib() }
}

/** The first scan has its peak, too: the highest memory counts from here on. */
function forgetPeaks({ source, sink }: Pair): void {
  for (const { pid } of [source, sink]) writeFileSync(`/proc/${pid}/clear_refs`, '5')
}
