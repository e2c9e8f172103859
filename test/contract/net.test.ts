import { nodeNet } from '../../src/platform/node/net/net.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { netContract } from './net.contract.ts'

netContract('real net', () => nodeNet)
netContract('sim net', () => new SimNetwork(new SimClock()).host('machine'))
