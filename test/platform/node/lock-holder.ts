import { rm, writeFile } from 'node:fs/promises'
import { nodeDisk } from '../../../src/platform/node/disk/disk.ts'

/**
 * A process that takes a lock and prints the result, one word per line. `hold`: keeps it until its input ends. `churn
 * N`: locks and releases N times, and prints `clash` when it was not exclusive.
 */
const [mode, path = '', count = '1'] = process.argv.slice(2)

if (mode === 'hold') {
  const lock = await nodeDisk.lock(path)
  console.log(lock === undefined ? 'refused' : 'locked')
  if (lock !== undefined) for await (const _ of process.stdin);
  await lock?.[Symbol.asyncDispose]()
} else {
  for (let done = 0; done < Number(count);) {
    await using lock = await nodeDisk.lock(path)
    if (lock === undefined) continue
    try {
      await writeFile(`${path}.inside`, '', { flag: 'wx' })
      await rm(`${path}.inside`)
    } catch {
      console.log('clash') // locked by another process too
    }
    done++
  }
  console.log('done')
}
