import { parentPort } from 'node:worker_threads'
import { BlockHasher } from '../../../src/platform/node/hashing/block-hasher.ts'
import { unpackFiles, type MakeTask } from '../../../src/platform/node/threads/make-pack.ts'
import { FileMaking } from '../../../src/platform/node/threads/make-task.ts'

/** Makes files like the real thread, but ends at one with a certain name. */
const port = parentPort
if (port !== null) {
  const making = new FileMaking((report) => port.postMessage(report, []), new BlockHasher())
  port.on('message', (task: MakeTask) => {
    if (unpackFiles(task.files).some(({ path }) => path.endsWith('/crash'))) process.exit(1)
    making.receive(task)
  })
}
