import { constants, getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { HashBuffer, runTask, type HashReport, type HashTask } from './hash-task.ts'
import { FileMaking, type MakeReport, type MakeTask } from './make-task.ts'
import { ReadFiles, type ReadReport, type ReadTask } from './read-task.ts'
import { WalkSlices, type WalkCommand, type WalkReport } from '../disk/walk-slices.ts'

/** What is done in one go and reported once. */
export type ThreadTask = HashTask | ReadTask
export type TaskReport = HashReport | ReadReport
/** What a thread is told, and what it tells. */
export type ThreadOrder = ThreadTask | WalkCommand | MakeTask
export type ThreadReport = TaskReport | WalkReport | MakeReport

/**
 * How much nicer than the thread that answers people. On a machine with time to spare it makes no difference; on a busy
 * one of two cores transfers are a twentieth slower with 5, and pings during a scan perhaps a third slower with 2.
 */
const NICER_BY = 2

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
  const files = new ReadFiles()
  const walks = new WalkSlices((report) => port.postMessage(report, []))
  const making = new FileMaking((report) => port.postMessage(report, []))
  giveWay()
  port.on('message', (order: ThreadOrder) => {
    switch (order.kind) {
      case 'hash': {
        const report = runTask(order, buffer)
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
