import { writeSync } from 'node:fs'
import { argv } from 'node:process'
import { DEVICES, FOLDER, openTestStore } from './records.ts'
import { localBatch, remoteBatch } from './kill-batches.ts'

/** Writes batches endlessly and prints a line after each, until it is killed. */
const store = await openTestStore(argv[2])
const index = await store.folder(FOLDER)
const repaired = store.recoveries.length
let next = Math.floor((await index.exchange.sequence('local')) / localBatch(0).length)
// The previous process may have been killed between the local and the remote batch.
if (next > 0) await index.records.updateRemote(DEVICES[0]!, remoteBatch(next - 1))
writeSync(1, `open ${repaired}\n`)
for (; ; next++) {
  await index.records.updateLocal(localBatch(next))
  writeSync(1, `local ${next}\n`)
  await index.records.updateRemote(DEVICES[0]!, remoteBatch(next))
  writeSync(1, `remote ${next}\n`)
}
