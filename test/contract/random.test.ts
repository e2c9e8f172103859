import { nodeRandom } from '../../src/platform/node/random.ts'
import { SimRandom } from '../../src/platform/sim/random.ts'
import { randomContract } from './random.contract.ts'

randomContract('real random', () => nodeRandom)
randomContract('sim random', () => new SimRandom(1))
randomContract('sim random, a stream', () => new SimRandom(1).stream('device'))
