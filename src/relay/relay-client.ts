import { messageOf } from '../core/errors.ts'
import type { RelayAddress } from '../core/network/address.ts'
import { MESSAGES_PER_S_MAX, MessageRate } from '../core/network/message-rate.ts'
import {
  RELAY_ALREADY_CONNECTED,
  RELAY_SUCCESS,
  RELAY_WRONG_TOKEN,
  type RelayMessage,
  type SessionInvitation,
} from '../core/network/relay-message.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import { relayError } from '../platform/net-error.ts'
import { withTimeout } from '../sync/timeout.ts'
import { openChannel, type RelayChannel } from './channel.ts'
import { joinSession, type SessionDeps } from './session.ts'
import type { OnRelayStream } from './types.ts'
import { TaskSet } from '../sync/task-set.ts'

const JOIN_MS_MAX = 10_000
/** A relay sends a ping every minute; after this silence one is sent to it. */
const SILENT_MS_MAX = 90_000
const PONG_MS_MAX = 30_000
/** Any device can make the relay send invitations. */
const SESSIONS_PENDING_MAX = 16

export interface RelayClientDeps extends SessionDeps {
  readonly log: Logger
  allowTls12(): boolean
  onJoined(relay: RelayAddress): void
  /** The relay sends more messages than a relay may, and is left. */
  onFlood(relay: RelayAddress): void
  onStream: OnRelayStream
}

/** Joins relays, one at a time, and meets the devices that ask for this one. */
export class RelayClient {
  readonly #deps: RelayClientDeps
  readonly #pending = new TaskSet()
  #channel: RelayChannel | undefined

  constructor(deps: RelayClientDeps) {
    this.#deps = deps
  }

  /** The address of this machine that the joined relay knows. */
  get localHost(): string | undefined {
    return this.#channel?.localHost
  }

  /** Joins a relay and serves its invitations. Rejects with the reason when the relay is lost or the signal aborts. */
  async serve(relay: RelayAddress, signal: AbortSignal): Promise<never> {
    const ended = new AbortController()
    const either = AbortSignal.any([signal, ended.signal])
    const { clock, dialer } = this.#deps
    const { channel, host } = await withTimeout(clock, JOIN_MS_MAX, signal, async (until) => {
      const opened = await openChannel(dialer, relay, until)
      await join(opened.channel, relay.token, until).catch(async (error: unknown) => {
        await opened.channel[Symbol.asyncDispose]()
        throw error
      })
      return opened
    })
    this.#channel = channel
    try {
      this.#deps.onJoined(relay)
      return await this.#answerAll(channel, relay, host, either)
    } finally {
      this.#channel = undefined
      ended.abort(relayError('ECONNABORTED', 'the relay was left'))
      await channel[Symbol.asyncDispose]()
      await this.#pending.ended()
    }
  }

  /** Until the relay is lost: one timer for all its messages. */
  async #answerAll(channel: RelayChannel, relay: RelayAddress, host: string, signal: AbortSignal): Promise<never> {
    const { clock, onFlood } = this.#deps
    const rate = new MessageRate(clock.monotonicMs())
    const heard = { atMs: clock.monotonicMs() }
    const silent = watchSilence(clock, channel, heard, signal)
    const messages = async (): Promise<never> => {
      for (;;) {
        const message = await channel.receive(signal)
        heard.atMs = clock.monotonicMs()
        if (!rate.count(heard.atMs)) {
          onFlood(relay)
          throw relayError('EPROTO', `the relay sends more than ${MESSAGES_PER_S_MAX} messages a second`)
        }
        await this.#answer(channel, message, host, signal)
      }
    }
    const answered = messages()
    for (const each of [silent, answered]) each.catch(() => {}) // the other one has failed first
    return await Promise.race([answered, silent])
  }

  async #answer(channel: RelayChannel, message: RelayMessage, host: string, signal: AbortSignal): Promise<void> {
    switch (message.kind) {
      case 'ping':
        return await channel.send({ kind: 'pong' })
      case 'pong':
        return
      case 'invitation':
        return this.#meet(message, host, signal)
      case 'relay-full':
        throw relayError('EBUSY', 'the relay is full')
      default:
        throw relayError('EPROTO', `unexpected message of the relay: ${message.kind}`)
    }
  }

  #meet(invitation: SessionInvitation, host: string, signal: AbortSignal): void {
    const { log, onStream, allowTls12 } = this.#deps
    if (this.#pending.size >= SESSIONS_PENDING_MAX) {
      return log.debug(() => `invitation from ${invitation.from} ignored: too many are pending`)
    }
    const meeting = joinSession(this.#deps, invitation, { host, allowTls12: allowTls12() }, signal)
      .then(onStream)
      .catch((error: unknown) => log.debug(() => `session with ${invitation.from} failed: ${messageOf(error)}`))
    this.#pending.add(meeting)
  }
}

/** Rejects when nothing was heard for long, not even the reply to a ping. */
async function watchSilence(
  clock: Clock,
  channel: RelayChannel,
  heard: { readonly atMs: number },
  signal: AbortSignal,
): Promise<never> {
  for (;;) {
    const leftMs = heard.atMs + SILENT_MS_MAX - clock.monotonicMs()
    if (leftMs > 0) {
      await clock.sleep(leftMs, signal)
      continue
    }
    const beforeMs = heard.atMs
    // Not awaited: a relay that reads nothing must not delay this. If it fails, nothing is heard.
    channel.send({ kind: 'ping' }).catch(() => {})
    await clock.sleep(PONG_MS_MAX, signal)
    if (heard.atMs === beforeMs) throw relayError('ETIMEDOUT', 'the relay does not answer')
  }
}

async function join(channel: RelayChannel, token: string, signal: AbortSignal): Promise<void> {
  await channel.send({ kind: 'join-relay', token })
  const reply = await channel.receive(signal)
  if (reply.kind === 'relay-full') throw relayError('EBUSY', 'the relay is full')
  if (reply.kind !== 'response') throw relayError('EPROTO', `unexpected message of the relay: ${reply.kind}`)
  if (reply.code === RELAY_SUCCESS) return
  const reasons: Readonly<Record<number, string>> = {
    [RELAY_ALREADY_CONNECTED]: 'this device is connected to the relay already',
    [RELAY_WRONG_TOKEN]: 'the relay does not accept the token',
  }
  throw relayError('ECONNREFUSED', reasons[reply.code] ?? `the relay refused: ${reply.message}`)
}
