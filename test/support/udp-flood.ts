/** A host that floods local discovery: `node udp-flood.ts TARGET PORT PACKETS VICTIM`. Prints how many it has sent. */
import { createHash, randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { deviceIdBytes, deviceIdFromCertificate } from '../../src/core/device-id.ts'
import type { DeviceId } from '../../src/core/ids.ts'
import { encodeLocalAnnouncement } from '../../src/core/network/local-announcement.ts'

const [host = '', port = '', packets = '', victim = ''] = process.argv.slice(2)
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
    default:
      return announce(deviceIdFromCertificate(createHash('sha256').update(`${number}`).digest()), 1n)
  }
}

const socket = createSocket('udp4')
await new Promise<void>((resolve) => socket.bind(0, resolve))
socket.setBroadcast(true)
deviceIdBytes(victim as DeviceId) // fails early if it is none
let sent = 0
while (sent < Number(packets)) {
  for (let i = 0; i < BURST; i++, sent++) socket.send(packet(sent), Number(port), host)
  await new Promise((resolve) => setTimeout(resolve, 1))
}
socket.close()
console.log(JSON.stringify({ sent }))
