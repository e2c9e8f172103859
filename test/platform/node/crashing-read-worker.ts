/** A thread that ends at a file named `crash-once`, the first time, and at one named `crash-always`. */
import { existsSync, writeFileSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { ReadFiles, type ReadTask } from '../../../src/platform/node/threads/read-task.ts'

const files = new ReadFiles()
parentPort?.on('message', (task: ReadTask) => {
  const roots = task.roots.split('\0')
  for (const [at, name] of task.names.split('\0').entries()) {
    const mark = `${roots[at]}/${name}.done`
    if (name === 'crash-always') process.exit(1)
    if (name !== 'crash-once' || existsSync(mark)) continue
    writeFileSync(mark, '')
    process.exit(1)
  }
  parentPort?.postMessage(files.run(task), [])
})
