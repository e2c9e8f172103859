import { createHmac } from 'node:crypto'
import type { GuiConfig } from '../../core/config/config.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import { equalsSecret, type Credentials } from './credentials.ts'

type Account = Pick<GuiConfig, 'authMode' | 'user' | 'password'>

const SECRET_LENGTH = 32
const LIFETIME_MS = 10 * 60_000

/**
 * The credentials that were right last. Clients that keep no cookies send them with every request, and a full check
 * takes a tenth of a second. Only a keyed hash is kept, under a key of this process, and a full check follows in time.
 */
export class KnownCredentials {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #secret: Uint8Array
  #known: { readonly digest: Uint8Array; readonly untilMs: number } | undefined

  constructor(clock: Pick<Clock, 'monotonicMs'>, random: Pick<Random, 'bytes'>) {
    this.#clock = clock
    this.#secret = random.bytes(SECRET_LENGTH)
  }

  has(gui: Account, credentials: Credentials): boolean {
    const known = this.#known
    if (known === undefined || this.#clock.monotonicMs() >= known.untilMs) return false
    return equalsSecret(this.#digest(gui, credentials), known.digest)
  }

  add(gui: Account, credentials: Credentials): void {
    const digest = Buffer.from(this.#digest(gui, credentials))
    this.#known = { digest, untilMs: this.#clock.monotonicMs() + LIFETIME_MS }
  }

  /** The configured ones are part of it: a changed password makes it invalid. */
  #digest(gui: Account, { username, password }: Credentials): string {
    const text = JSON.stringify([gui.authMode, gui.user, gui.password, username, password])
    return createHmac('sha256', this.#secret).update(text).digest('base64url')
  }
}
