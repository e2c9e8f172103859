import { connect as connectSocket, isIP, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { NetError } from '../../net-error.ts'
import { untilAborted } from '../../until-aborted.ts'
import { raceAddresses, type ResolvedAddress } from './race-addresses.ts'

/** A name with more addresses than this is a mistake or an attack. */
const ADDRESSES_MAX = 16

export interface TcpTarget {
  readonly host: string
  readonly port: number
  readonly family?: 4 | 6
  /** The address of this machine from which to connect. */
  readonly localHost?: string
  readonly isAddressAllowed?: (address: string) => boolean
}

/** Rejects as soon as the signal aborts, and leaves no socket behind. */
export async function connectTcp(target: TcpTarget, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted()
  const addresses = allowed(target, await resolve(target, signal))
  const race = {
    connect: ({ address }: ResolvedAddress, until: AbortSignal) => connectTo(address, target, until),
    discard: (late: Socket) => void late.destroy(),
    pause,
  }
  return await raceAddresses(addresses, race, signal)
}

/** The addresses themselves are connected to, not the name, which may resolve to others a moment later. */
function allowed(target: TcpTarget, addresses: readonly ResolvedAddress[]): readonly ResolvedAddress[] {
  const { host, isAddressAllowed } = target
  if (isAddressAllowed === undefined) return addresses
  const found = addresses.filter(({ address }) => isAddressAllowed(address))
  if (found.length > 0 || addresses.length === 0) return found
  const [first] = addresses
  throw new NetError('EACCES', `${host} has no address that may be connected to: ${first?.address} is not public`)
}

/** Ends early when the signal aborts. */
async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  await sleep(delayMs, undefined, { signal }).catch(() => {}) // aborted
}

async function connectTo(host: string, { port, localHost }: TcpTarget, signal: AbortSignal): Promise<Socket> {
  const socket = connectSocket({ host, port, ...(localHost !== undefined && { localAddress: localHost }) })
  return await runDialogue(socket, signal, (events) => events.until('connect'))
}

async function resolve({ host, family }: TcpTarget, signal: AbortSignal): Promise<readonly ResolvedAddress[]> {
  const known = isIP(host)
  if (known !== 0) return [{ address: host, family: known }]
  const { lookup } = process.getBuiltinModule('node:dns/promises')
  const looked = lookup(host, { all: true, order: 'verbatim', ...(family !== undefined && { family }) })
  return (await untilAborted(looked, signal)).slice(0, ADDRESSES_MAX)
}

/** Events and data of a socket, awaited sequentially. */
export interface SocketEvents {
  until(event: string): Promise<void>
  /** At least one byte, which is consumed. */
  read(): Promise<Buffer>
  /** Exactly this many bytes; what follows them stays in the socket. */
  take(count: number): Promise<Buffer>
}

/** Runs a dialogue over a socket. Unless it succeeds, the socket is destroyed. */
export async function runDialogue(
  socket: Socket,
  signal: AbortSignal,
  act: (events: SocketEvents) => Promise<void>,
): Promise<Socket> {
  const ended = Promise.withResolvers<never>()
  ended.promise.catch(() => {}) // there may be no pending wait
  const onAbort = (): void => ended.reject(signal.reason)
  const onError = (error: Error): void => ended.reject(error)
  const onClose = (): void => ended.reject(new NetError('ECONNRESET', 'connection lost'))
  signal.addEventListener('abort', onAbort)
  socket.on('error', onError)
  socket.on('close', onClose)
  try {
    signal.throwIfAborted()
    await act(eventsOf(socket, ended.promise))
    socket.on('error', () => {}) // until the receiver of the socket adds its own listener
    return socket
  } catch (error) {
    socket.on('error', () => {})
    socket.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
    socket.removeListener('error', onError)
    socket.removeListener('close', onClose)
  }
}

function eventsOf(socket: Socket, ended: Promise<never>): SocketEvents {
  const until = (event: string): Promise<void> => {
    const happened = Promise.withResolvers<void>()
    socket.once(event, happened.resolve)
    return Promise.race([happened.promise, ended]).finally(() => socket.removeListener(event, happened.resolve))
  }
  const read = async (): Promise<Buffer> => {
    for (;;) {
      const chunk: unknown = socket.read()
      if (Buffer.isBuffer(chunk)) return chunk
      if (socket.readableEnded) throw new NetError('ECONNRESET', 'the other side hung up')
      await until('readable')
    }
  }
  const take = async (count: number): Promise<Buffer> => {
    let held = Buffer.alloc(0)
    while (held.length < count) held = Buffer.concat([held, await read()])
    if (held.length > count) socket.unshift(held.subarray(count))
    return held.subarray(0, count)
  }
  return { until, read, take }
}
