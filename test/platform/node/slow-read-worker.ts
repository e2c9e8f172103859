import { parentPort } from 'node:worker_threads'
import { ReadFiles, type ReadTask } from '../../../src/platform/node/threads/read-task.ts'

/** Longer than a task takes on a disk that is not slow. */
const TASK_MS = 150

/** Reads blocks like the real thread, from a slow disk. */
const port = parentPort
if (port !== null) {
  const files = new ReadFiles()
  port.on('message', (task: ReadTask) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TASK_MS)
    port.postMessage(files.run(task), [])
  })
}
