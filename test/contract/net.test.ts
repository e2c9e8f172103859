import { realNet } from '../../src/world/real/net.ts'
import { SimClock } from '../../src/world/sim/clock.ts'
import { SimNetwork } from '../../src/world/sim/net.ts'
import { netContract } from './net.contract.ts'

netContract('real net', () => realNet)
netContract('sim net', () => new SimNetwork(new SimClock()).host('machine'))
