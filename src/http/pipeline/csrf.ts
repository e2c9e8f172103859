import { createHmac } from 'node:crypto'
import { messageOf } from '../../core/errors.ts'
import { randomText } from '../../platform/random.ts'
import { equalsSecret } from './credentials.ts'
import type { TokenDeps } from './tokens.ts'

const KEY = 'http/csrf-secret'
const SECRET_LENGTH = 64
/** Pages renew an expired token without a message. */
const LIFETIME_S = 30 * 24 * 3_600
/** Tokens of a clock that was ahead. */
const AHEAD_S_MAX = 24 * 3_600
const SALT_LENGTH = 12
const TIME_LENGTH = 9
const TOKEN = /^[2-9a-zA-Z]{12}[0-9a-z]{9}[\w-]{43}$/

/**
 * Tokens that prove that a request was sent by the own page. They are signed and not stored: anybody can load the page
 * without a login, and must not be able to displace the tokens of others.
 */
export class CsrfTokens {
  readonly #deps: TokenDeps
  #secret: string

  constructor(deps: TokenDeps) {
    this.#deps = deps
    this.#secret = randomText(deps.random, SECRET_LENGTH)
  }

  /** Loads the secret of an earlier process, so that open pages stay valid; saves a new one. */
  async load(): Promise<void> {
    const { keyValue, logger } = this.#deps
    try {
      const stored = new TextDecoder().decode((await keyValue.get(KEY)) ?? new Uint8Array())
      if (stored.length === SECRET_LENGTH) this.#secret = stored
      else await keyValue.set(KEY, new TextEncoder().encode(this.#secret))
    } catch (error) {
      logger.debug(() => `the secret of page tokens is valid for this process only: ${messageOf(error)}`)
    }
  }

  make(): string {
    const time = this.#nowS().toString(36).padStart(TIME_LENGTH, '0')
    const text = randomText(this.#deps.random, SALT_LENGTH) + time
    return text + this.#sign(text)
  }

  isValid(token: string): boolean {
    if (!TOKEN.test(token)) return false
    const text = token.slice(0, SALT_LENGTH + TIME_LENGTH)
    if (!equalsSecret(token.slice(text.length), Buffer.from(this.#sign(text)))) return false
    const ageS = this.#nowS() - Number.parseInt(text.slice(SALT_LENGTH), 36)
    return ageS < LIFETIME_S && ageS >= -AHEAD_S_MAX
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#secret).update(text).digest('base64url')
  }

  #nowS(): number {
    return Math.floor(this.#deps.clock.nowMs() / 1_000)
  }
}
