/** Floods local discovery: `node udp-flood.ts TARGET PACKETS VICTIM FRIEND`. Prints how many packets it has sent. */
import { createHash, randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { deviceIdFromCertificate } from '../../src/core/device-id.ts'
import type { DeviceId } from '../../src/core/ids.ts'
import { encodeLocalAnnouncement } from '../../src/core/network/local-announcement.ts'

const [host = '', packets = '', victim = '', friend = ''] = process.argv.slice(2)
const PORT = 21_027
/** The largest datagram of IPv4. */
const DATAGRAM_BYTES_MAX = 65_507
/** Packets for each millisecond. */
const BURST = 10

const restless = deviceIdFromCertificate(Buffer.from('restless'))
const announce = (device: DeviceId, instanceId: bigint): Uint8Array =>
  encodeLocalAnnouncement({ device, addresses: ['tcp://:22000', 'tcp://192.0.2.1:1'], instanceId })

function packet(number: number): Uint8Array {
  switch (number % 20) {
    case 0:
      return randomBytes(200)
    case 1:
      return Buffer.from('7d79bc40', 'hex')
    case 2:
      return announce(victim as DeviceId, BigInt(number))
    case 3:
      return announce(restless, BigInt(number))
    case 4:
      return Buffer.concat([announce(restless, 1n), Buffer.alloc(number % 400 === 4 ? DATAGRAM_BYTES_MAX - 200 : 50)])
    case 5:
      return announce(friend as DeviceId, BigInt(number))
    default:
      return announce(deviceIdFromCertificate(createHash('sha256').update(`${number}`).digest()), 1n)
  }
}

const socket = createSocket('udp4')
await new Promise<void>((resolve) => socket.bind(0, resolve))
socket.setBroadcast(true)
let sent = 0
while (sent < Number(packets)) {
  for (let i = 0; i < BURST; i++, sent++) socket.send(packet(sent), PORT, host)
  await new Promise((resolve) => setTimeout(resolve, 1))
}
socket.close()
console.log(JSON.stringify({ sent }))
