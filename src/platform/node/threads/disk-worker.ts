import { constants, getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { BlockHasher } from '../hashing/block-hasher.ts'
import { HashBuffer, runTask, type HashReport, type HashTask } from './hash-task.ts'
import type { MakeReport, MakeTask } from './make-pack.ts'
import { FileMaking } from './make-task.ts'
import { ReadFiles, type ReadReport, type ReadTask } from './read-task.ts'
import { WalkSlices, type WalkCommand, type WalkReport } from '../disk/walk-slices.ts'

/** Tasks with a single report. */
export type ThreadTask = HashTask | ReadTask
export type TaskReport = HashReport | ReadReport
/** Messages to and from a thread. */
export type ThreadOrder = ThreadTask | WalkCommand | MakeTask
export type ThreadReport = TaskReport | WalkReport | MakeReport

/**
 * Nice value relative to the main thread. On an idle machine it makes no difference; on a busy one of two cores
 * transfers are a twentieth slower with 5, and pings during a scan perhaps a third slower with 2.
 */
const NICER_BY = 2

/** Pauses within a scan are shorter: allocated again, the memory costs a page fault for every 4 KiB. */
const HASHING_PAUSE_MS = 200

/**
 * Lowers the priority below the main thread: on a busy machine of two cores pings took five times as long without. Only
 * on Linux does the call affect the calling thread; elsewhere the whole process.
 */
function lowerPriority(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + NICER_BY))
  } catch {
    // Forbidden by a sandbox: without effect on the results.
  }
}

if (parentPort !== null) {
  const port = parentPort
  let pause: NodeJS.Timeout | undefined
  const buffer = new HashBuffer()
  const hasher = new BlockHasher()
  const files = new ReadFiles()
  const walks = new WalkSlices((report) => port.postMessage(report, []))
  const making = new FileMaking((report) => port.postMessage(report, []), hasher)
  lowerPriority()
  port.on('message', (order: ThreadOrder) => {
    switch (order.kind) {
      case 'hash': {
        const report = runTask(order, buffer, hasher)
        pause ??= setTimeout(() => buffer.release(), HASHING_PAUSE_MS).unref()
        pause.refresh()
        return port.postMessage(report, report.hashes.buffer instanceof ArrayBuffer ? [report.hashes.buffer] : [])
      }
      case 'read':
        return port.postMessage(files.run(order), [])
      case 'make':
        return making.receive(order)
      default:
        return walks.receive(order)
    }
  })
}
