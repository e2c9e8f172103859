import { constants, getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { HashBuffer, runTask, type HashReport, type HashTask } from './hash-task.ts'
import { WalkSlices, type WalkCommand, type WalkReport } from './walk-slices.ts'

/** What a thread is told, and what it tells. Only what belongs to a walk has a kind. */
export type ThreadOrder = HashTask | WalkCommand
export type ThreadReport = HashReport | WalkReport

/** How much nicer than the thread that answers people. On a machine with time to spare it makes no difference. */
const NICER_BY = 5

/**
 * Gives way to the thread that answers: on a busy machine of two cores pings took five times as long without. Only on
 * Linux does the call mean the calling thread; elsewhere it means everybody.
 */
function giveWay(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + NICER_BY))
  } catch {
    // Forbidden by whoever locked us in: the work is the same, and so is its result.
  }
}

if (parentPort !== null) {
  const port = parentPort
  const buffer = new HashBuffer()
  const walks = new WalkSlices((report) => port.postMessage(report, []))
  giveWay()
  port.on('message', (order: ThreadOrder) => {
    if ('kind' in order) return walks.receive(order)
    const report = runTask(order, buffer)
    const transfer = report.hashes.buffer instanceof ArrayBuffer ? [report.hashes.buffer] : []
    port.postMessage(report, transfer)
  })
}
