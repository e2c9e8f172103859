import { TwinfoldError } from '../core/errors.ts'
import type { Clock } from '../platform/clock.ts'
import type { Udp, UdpAddress } from '../platform/udp.ts'

const FIRST_RETRY_MS = 250

export interface UdpRequestDeps {
  readonly clock: Clock
  readonly udp: Udp
}

/**
 * Sends datagrams from `localHost`, with a delay that doubles, until a reply from that address and port is accepted.
 * Rejects after the time limit.
 */
export async function requestByUdp<T>(
  { clock, udp }: UdpRequestDeps,
  { packets, to, localHost, timeoutMs }: UdpRequest,
  accept: (reply: Uint8Array) => T | undefined,
  signal: AbortSignal,
): Promise<T> {
  const done = new AbortController()
  const either = AbortSignal.any([signal, done.signal])
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  await using socket = await udp.open(
    { family: 4, port: 0, host: localHost },
    {
      onDatagram: (data, from) => {
        if (from.host !== to.host || from.port !== to.port) return
        const accepted = accept(data)
        if (accepted !== undefined) resolve(accepted)
      },
      onError: reject,
    },
  )
  const sending = (async () => {
    const startedMs = clock.monotonicMs()
    for (let delayMs = FIRST_RETRY_MS; ; delayMs *= 2) {
      const leftMs = startedMs + timeoutMs - clock.monotonicMs()
      if (leftMs <= 0) throw new TwinfoldError('refused', 'no reply')
      for (const packet of packets) await socket.send(packet, to)
      await clock.sleep(Math.min(delayMs, leftMs), either)
    }
  })()
  try {
    return await Promise.race([promise, sending])
  } finally {
    done.abort()
    await sending.catch(() => {}) // its error was reported, or it ended by the abort
  }
}

interface UdpRequest {
  readonly packets: readonly Uint8Array[]
  readonly to: UdpAddress
  readonly localHost: string
  readonly timeoutMs: number
}
