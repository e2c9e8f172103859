import { parentPort } from 'node:worker_threads'
import { HashBuffer, runTask, type HashTask } from './hash-task.ts'

if (parentPort !== null) {
  const port = parentPort
  const buffer = new HashBuffer()
  port.on('message', (task: HashTask) => {
    const report = runTask(task, buffer)
    const transfer = report.hashes.buffer instanceof ArrayBuffer ? [report.hashes.buffer] : []
    port.postMessage(report, transfer)
  })
}
