import { nodeUdp } from '../../src/platform/node/net/udp.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { udpContract } from './udp.contract.ts'

udpContract('real udp', () => nodeUdp)
udpContract('sim udp', () => new SimNetwork(new SimClock()).datagrams.host('machine'))
