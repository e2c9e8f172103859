import { realClock } from '../../src/world/real/clock.ts'
import { SimClock } from '../../src/world/sim/clock.ts'
import { clockContract } from './clock.contract.ts'

clockContract('real clock', () => ({ clock: realClock, advance: () => {} }))
clockContract('sim clock', () => {
  const clock = new SimClock()
  return { clock, advance: () => void clock.step() }
})
