import { systemCode } from '../../../core/errors.ts'

/** Delay between two attempts, as RFC 8305 recommends. */
const ATTEMPT_DELAY_MS = 250
/** Errors of an address family that the machine does not have; those of the other family say more. */
const NO_ROUTE = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'])

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

export interface Race<T> {
  /** Rejects as soon as the signal aborts. */
  connect(address: ResolvedAddress, signal: AbortSignal): Promise<T>
  /** Closes a connection that came second. */
  discard(late: T): void
  /** Resolves early when the signal aborts. */
  pause(delayMs: number, signal: AbortSignal): Promise<void>
}

/** The address families in turn, beginning with the one that the system prefers (RFC 8305, section 4). */
export function alternateFamilies(addresses: readonly ResolvedAddress[]): readonly ResolvedAddress[] {
  const first = addresses[0]?.family
  const preferred = addresses.filter(({ family }) => family === first)
  const others = addresses.filter(({ family }) => family !== first)
  const rounds = Array.from({ length: Math.max(preferred.length, others.length) }, (_, at) => at)
  return rounds.flatMap((at) => [preferred[at], others[at]].filter((one) => one !== undefined))
}

/**
 * Connects to the first address that answers. Each attempt starts a short while after the one before, or at once when
 * that one failed; attempts that are under way go on meanwhile.
 */
export async function raceAddresses<T>(
  addresses: readonly ResolvedAddress[],
  { connect, discard, pause }: Race<T>,
  signal: AbortSignal,
): Promise<T> {
  const over = new AbortController()
  const either = AbortSignal.any([signal, over.signal])
  const errors: unknown[] = []
  let winner: { readonly connection: T } | undefined
  const attempt = async (address: ResolvedAddress): Promise<void> => {
    try {
      const connection = await connect(address, either)
      if (winner !== undefined) return discard(connection)
      winner = { connection }
      over.abort()
    } catch (error) {
      errors.push(error)
    }
  }
  const attempts: Promise<void>[] = []
  for (const [at, address] of alternateFamilies(addresses).entries()) {
    const latest = attempt(address)
    attempts.push(latest)
    if (at + 1 < addresses.length) await endOrPause(latest, (until) => pause(ATTEMPT_DELAY_MS, until), either)
    if (either.aborted) break
  }
  await Promise.all(attempts)
  if (winner !== undefined) return winner.connection
  signal.throwIfAborted()
  throw errors.find((error) => !NO_ROUTE.has(systemCode(error) ?? '')) ?? errors[0]
}

/** Leaves no timer behind when the attempt ends first. */
async function endOrPause(
  attempt: Promise<void>,
  pause: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const ended = new AbortController()
  await Promise.race([attempt, pause(AbortSignal.any([signal, ended.signal]))])
  ended.abort()
}
