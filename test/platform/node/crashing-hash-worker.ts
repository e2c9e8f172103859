/** A hashing thread that ends at a file named `crash-once`, the first time, and at one named `crash-always`. */
import { existsSync, writeFileSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { HashBuffer, runTask, type HashTask } from '../../../src/platform/node/threads/hash-task.ts'

const buffer = new HashBuffer()
parentPort?.on('message', (task: HashTask) => {
  for (const path of task.paths.split('\0')) {
    if (path.endsWith('/crash-always')) process.exit(1)
    if (!path.endsWith('/crash-once') || existsSync(`${path}.done`)) continue
    writeFileSync(`${path}.done`, '')
    process.exit(1)
  }
  parentPort?.postMessage(runTask(task, buffer), [])
})
