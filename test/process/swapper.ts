/** Exchanges two paths in a tight loop until the standard input ends, and prints how often. */
import { posix } from '../../src/platform/node/native/posix.ts'

const LOOPS_PER_TURN = 2_000

const [a = '', b = ''] = process.argv.slice(2)
let isEnding = false
let swaps = 0
process.stdin.on('end', () => (isEnding = true)).resume()

function loop(): void {
  for (let i = 0; i < LOOPS_PER_TURN; i++) {
    try {
      if (posix()?.exchangeSync(a, b) === true) swaps++
    } catch {
      // One of them is missing for a moment.
    }
  }
  if (!isEnding) return void setImmediate(loop)
  console.log(swaps)
}

console.log('ready')
loop()
