import { randomBytes, randomInt } from 'node:crypto'
import type { Random } from '../random.ts'

/** From the system's entropy: good for keys. */
export const nodeRandom: Random = {
  bytes: (count) => new Uint8Array(randomBytes(count)),
  int: (below) => randomInt(below),
}
