/** Watches a folder in a process with few watches, and prints the result. */
import { createNodeWatcher } from '../../../src/platform/node/disk/watch.ts'

const root = process.argv[2] ?? ''
try {
  await using _ = await createNodeWatcher().watch(
    { root, ignoreLines: undefined },
    () => {},
    () => {},
  )
  console.log(JSON.stringify({ watching: true }))
} catch (error) {
  console.log(JSON.stringify({ watching: false, message: error instanceof Error ? error.message : String(error) }))
}
