import { nodeClock } from '../../src/platform/node/clock.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { clockContract } from './clock.contract.ts'

clockContract('real clock', () => ({ clock: nodeClock, advance: () => {} }))
clockContract('sim clock', () => {
  const clock = new SimClock()
  return { clock, advance: () => void clock.step() }
})
