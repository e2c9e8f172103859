import type { Bench } from './bench-options.ts'
import { BareServer } from './limits.ts'
import { FOLDER, firstScan, memoryOf, requestFigures, type RequestFigures } from './measure.ts'
import type { Running } from './program.ts'
import type { Sample } from './rows.ts'
import { makeTree, smallFiles } from './tree.ts'

const DURATION_S = 3

/** The repeated requests of a page that shows a folder; the queue is usually empty. */
const REQUESTS = [
  { row: 'rest-status', method: 'GET', connections: 16, path: `/rest/db/status?folder=${FOLDER}` },
  { row: 'rest-need', method: 'GET', connections: 16, path: `/rest/db/need?folder=${FOLDER}` },
  {
    row: 'rest-prio',
    method: 'POST',
    connections: 16,
    path: `/rest/db/prio?folder=${FOLDER}&file=group-0000/album-00000/file-0.bin`,
  },
  // Few at a time: a program that walks the whole index would complete none of sixteen within the time.
  { row: 'rest-browse', method: 'GET', connections: 2, path: `/rest/db/browse?folder=${FOLDER}&levels=0` },
] as const

/** Requests about a folder that is loaded: what a reply costs must not depend on the size of the folder. */
export async function rest(
  bench: Bench,
  fresh: (bench: Bench, program: Bench['programs'][number], use: (running: Running) => Promise<void>) => Promise<void>,
): Promise<void> {
  const tree = makeTree(smallFiles(bench.sizes.small))
  for (let round = 0; round < bench.rounds; round++) {
    const { server } = await BareServer.start()
    try {
      const figures = await requestFigures(`${server.url}/`, '', DURATION_S)
      for (const { row } of REQUESTS) record(bench, row, 'limit', figures)
    } finally {
      await server[Symbol.asyncDispose]()
    }
    for (const program of bench.programs) {
      await fresh(bench, program, async (running) => {
        await firstScan(running, tree)
        for (const { row, path, ...how } of REQUESTS) {
          const cpuBefore = running.cpuSeconds()
          const figures = await requestFigures(`${running.url}${path}`, running.apiKey, DURATION_S, how)
          const cpuS = running.cpuSeconds() - cpuBefore
          record(bench, row, program.name, figures, { cpuS, ...memoryOf(running) })
        }
      })
    }
  }
}

function record(
  bench: Bench,
  row: string,
  subject: Sample['subject'],
  figures: RequestFigures,
  more: Partial<Sample> = {},
): void {
  bench.record({ row, subject, value: figures.perSecond, ...more })
  bench.record({ row: `${row}-p50`, subject, value: figures.p50Ms })
  bench.record({ row: `${row}-p99`, subject, value: figures.p99Ms })
}
