import { messageOf, TwinfoldError } from '../core/errors.ts'
import { hashFault, isHashedPassword, PASSWORD_BYTES_MAX } from '../core/config/password.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import { SALT_BYTES, type PasswordHasher } from '../platform/passwords.ts'
import type { Random } from '../platform/random.ts'

/** The same error is logged once per this interval: anyone who can reach the page may cause it. */
const REPEAT_MS = 60_000

export const PASSWORD_REMEDY =
  'stop Twinfold and set a new one with "twinfold generate --gui-user=NAME --gui-password=-"'

export interface PasswordDeps {
  readonly hasher: PasswordHasher
  readonly random: Random
  readonly clock: Pick<Clock, 'nowMs'>
  readonly log: Logger
}

/** Passwords of the web interface as the configuration stores them. No password is ever logged. */
export class Passwords {
  readonly #deps: PasswordDeps
  #lastLogged = { message: '', atMs: -Infinity }

  constructor(deps: PasswordDeps) {
    this.#deps = deps
  }

  /** A bcrypt hash and the empty password are returned unchanged, others are hashed. Plain text is never stored. */
  async hash(password: string): Promise<string> {
    if (password === '' || isHashedPassword(password)) return password
    if (new TextEncoder().encode(password).length > PASSWORD_BYTES_MAX) {
      throw new TwinfoldError('config-invalid', `the password is longer than ${PASSWORD_BYTES_MAX} bytes`)
    }
    const { hasher, random } = this.#deps
    return this.#withErrorLog(hasher.hash(password, random.bytes(SALT_BYTES)))
  }

  /** False for a wrong password. Rejects with `password-unavailable` when it cannot be verified. */
  async verify(password: string, hash: string): Promise<boolean> {
    return this.#withErrorLog(this.#verify(password, hash))
  }

  async #verify(password: string, hash: string): Promise<boolean> {
    const fault = hashFault(hash)
    if (fault === undefined) return this.#deps.hasher.verify(password, hash)
    throw new TwinfoldError('password-unavailable', `the configured GUI password ${fault}; ${PASSWORD_REMEDY}`)
  }

  async #withErrorLog<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      this.#logError(error)
      throw error
    }
  }

  #logError(error: unknown): void {
    const cause = error instanceof Error && error.cause !== undefined ? ` (${messageOf(error.cause)})` : ''
    const message = messageOf(error) + cause
    const nowMs = this.#deps.clock.nowMs()
    if (message === this.#lastLogged.message && nowMs < this.#lastLogged.atMs + REPEAT_MS) return
    this.#lastLogged = { message, atMs: nowMs }
    this.#deps.log.error(message)
  }
}
