/**
 * A relay that misbehaves: `node hostile-relay.ts HOST PORT DIRECTORY SEED`, with `cert.pem` and `key.pem` there.
 * The first sessions lose, swap and repeat bytes somewhere; later ones are passed on as they are. It prints a line for
 * each fault.
 */
import { readFileSync } from 'node:fs'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'
import { deviceIdFromCertificate } from '../../src/core/device-id.ts'
import type { DeviceId } from '../../src/core/ids.ts'
import {
  decodeRelayHeader,
  decodeRelayPayload,
  encodeRelayMessage,
  RELAY_HEADER_BYTES,
  type RelayMessage,
} from '../../src/core/network/relay-message.ts'
import { Chance } from '../interop/random-changes.ts'

const [host = '', port = '', directory = '', seed = ''] = process.argv.slice(2)
const FAULTS = ['lose', 'swap', 'repeat'] as const
/** A fault happens before this many bytes have passed. */
const FAULT_BYTES_MAX = 600_000
const chance = new Chance(Number(seed))
const sessionPort = Number(port) + 1
const members = new Map<DeviceId, TLSSocket>()
const sessions = new Map<string, Socket[]>()
let [keys, started] = [0, 0]

/** Calls back for each whole message. */
function onMessages(socket: Socket, onMessage: (message: RelayMessage, rest: Buffer) => void): void {
  let held = Buffer.alloc(0)
  const onData = (chunk: Buffer): void => {
    held = Buffer.concat([held, chunk])
    while (held.length >= RELAY_HEADER_BYTES) {
      const { kind, payloadBytes } = decodeRelayHeader(held)
      const end = RELAY_HEADER_BYTES + payloadBytes
      if (held.length < end) return
      const message = decodeRelayPayload(kind, held.subarray(RELAY_HEADER_BYTES, end))
      held = held.subarray(end)
      if (message.kind === 'join-session') socket.off('data', onData)
      onMessage(message, held)
      if (message.kind === 'join-session') return
    }
  }
  socket.on('data', onData)
}

function onControl(socket: TLSSocket): void {
  const own = deviceIdFromCertificate(socket.getPeerX509Certificate()!.raw)
  const send = (to: Socket, message: RelayMessage): void => void to.write(encodeRelayMessage(message))
  socket.on('error', () => {})
  socket.once('close', () => members.get(own) === socket && members.delete(own))
  onMessages(socket, (message) => {
    if (message.kind === 'join-relay') {
      members.set(own, socket)
      send(socket, { kind: 'response', code: 0, message: 'success' })
    }
    if (message.kind !== 'connect') return
    const member = members.get(message.device)
    if (member === undefined) return send(socket, { kind: 'response', code: 1, message: 'not found' })
    const ends: Socket[] = []
    const invite = (to: Socket, from: DeviceId, isServer: boolean): void => {
      const key = Buffer.from(`key ${++keys}`)
      sessions.set(key.toString(), ends)
      send(to, { kind: 'invitation', from, key, address: new Uint8Array(), port: sessionPort, isServer })
    }
    invite(member, own, true)
    invite(socket, message.device, false)
  })
}

function onSession(socket: Socket): void {
  socket.on('error', () => {})
  onMessages(socket, (message) => {
    const ends = message.kind === 'join-session' ? sessions.get(Buffer.from(message.key).toString()) : undefined
    if (ends === undefined) return socket.destroy()
    socket.pause()
    socket.write(encodeRelayMessage({ kind: 'response', code: 0, message: 'success' }))
    ends.push(socket)
    const [a, b] = ends
    if (a === undefined || b === undefined) return
    const fault = FAULTS[started++] ?? 'none'
    pass(a, b, fault, 1 + chance.below(FAULT_BYTES_MAX))
    pass(b, a, fault, 1 + chance.below(FAULT_BYTES_MAX))
  })
}

/** Passes bytes on, with a fault once this many have passed. */
function pass(from: Socket, to: Socket, fault: (typeof FAULTS)[number] | 'none', afterBytes: number): void {
  let passed = 0
  let held: Buffer | undefined
  let isDone = fault === 'none'
  from.on('data', (chunk: Buffer) => {
    passed += chunk.length
    const now = !isDone && passed >= afterBytes
    isDone ||= now
    if (now) console.log(JSON.stringify({ fault }))
    if (now && fault === 'lose') return
    if (now && fault === 'swap') return void (held = chunk)
    const chunks = now ? [chunk, chunk] : [chunk, held ?? Buffer.alloc(0)]
    held = undefined
    for (const each of chunks) if (!to.write(each)) from.pause()
  })
  to.on('drain', () => from.resume())
  from.once('close', () => to.destroy())
  to.once('close', () => from.destroy())
  from.resume()
}

const identity = { cert: readFileSync(join(directory, 'cert.pem')), key: readFileSync(join(directory, 'key.pem')) }
const control = createServer(
  { ...identity, requestCert: true, rejectUnauthorized: false, ALPNProtocols: ['bep-relay'] },
  onControl,
)
control.on('tlsClientError', (_error, socket) => void socket.destroy())
createTcpServer(onSession).listen(sessionPort, host)
control.listen(Number(port), host, () => console.log('ready'))
