import { parentPort } from 'node:worker_threads'
import { HashBuffer, runTask, type HashReport, type HashTask } from './hash-task.ts'
import { WalkSlices, type WalkCommand, type WalkReport } from './walk-slices.ts'

/** What a thread is told, and what it tells. Only what belongs to a walk has a kind. */
export type ThreadOrder = HashTask | WalkCommand
export type ThreadReport = HashReport | WalkReport

if (parentPort !== null) {
  const port = parentPort
  const buffer = new HashBuffer()
  const walks = new WalkSlices((report) => port.postMessage(report, []))
  port.on('message', (order: ThreadOrder) => {
    if ('kind' in order) return walks.receive(order)
    const report = runTask(order, buffer)
    const transfer = report.hashes.buffer instanceof ArrayBuffer ? [report.hashes.buffer] : []
    port.postMessage(report, transfer)
  })
}
