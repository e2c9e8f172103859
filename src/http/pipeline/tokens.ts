import { hash } from 'node:crypto'
import { messageOf } from '../../core/errors.ts'
import type { Logger } from '../../events/types.ts'
import { Wakeup } from '../../sync/wakeup.ts'
import type { Clock } from '../../platform/clock.ts'
import { randomText, type Random } from '../../platform/random.ts'
import type { TokenStorage } from '../types.ts'

const TOKENS_MAX = 25
const TOKEN_LENGTH = 64
const SETTLE_MS = 1_000

export interface TokenDeps {
  readonly clock: Clock
  readonly random: Random
  readonly keyValue: TokenStorage
  readonly logger: Logger
}

interface Token {
  readonly expiresMs: number
  /** The user who got it; empty for the owner of the device. */
  readonly user: string
}

/**
 * Tokens issued to browsers: at most 25, least recently used evicted first; each use extends the expiry. Only hashes
 * are stored, in memory and on disk: neither a stolen database nor the duration of a lookup reveals a token.
 */
export class TokenStore {
  readonly #deps: TokenDeps
  readonly #key: string
  readonly #lifetimeMs: () => number
  /** By hash, least recently used first. */
  #tokens = new Map<string, Token>()
  readonly #changed = new Wakeup()
  /** Changed since the last check, and changed since the last save. */
  #dirty = false
  #unsaved = false

  constructor(deps: TokenDeps, options: { readonly key: string; readonly lifetimeMs: () => number }) {
    this.#deps = deps
    this.#key = options.key
    this.#lifetimeMs = options.lifetimeMs
  }

  make(user = ''): string {
    const token = randomText(this.#deps.random, TOKEN_LENGTH)
    this.#put(hashOf(token), user)
    return token
  }

  /** Returns whether a token is valid, and extends its expiry if so. */
  use(token: string): boolean {
    return this.useAs(token) !== undefined
  }

  /** The user who got a valid token, whose expiry it extends; undefined for an invalid one. */
  useAs(token: string): string | undefined {
    if (token.length !== TOKEN_LENGTH) return undefined
    const name = hashOf(token)
    const found = this.#tokens.get(name)
    if (found === undefined) return undefined
    if (found.expiresMs <= this.#deps.clock.nowMs()) {
      this.#remove(name)
      return undefined
    }
    this.#put(name, found.user)
    return found.user
  }

  drop(token: string): void {
    this.#remove(hashOf(token))
  }

  dropAll(): void {
    this.#tokens.clear()
    this.#markChanged()
  }

  /** Loads the tokens of an earlier process. Unreadable ones are discarded: users log in again. */
  async load(): Promise<void> {
    try {
      const bytes = await this.#deps.keyValue.get(this.#key)
      if (bytes === undefined) return
      const stored: unknown = JSON.parse(new TextDecoder().decode(bytes))
      const nowMs = this.#deps.clock.nowMs()
      const pairs = Object.entries(Object(stored)).flatMap(([name, value]): [string, Token][] => {
        const [expiresMs, user]: readonly unknown[] = Array.isArray(value) ? value : [value, '']
        const isValid = isValidExpiry(expiresMs, nowMs, this.#lifetimeMs()) && typeof user === 'string'
        return isValid ? [[name, { expiresMs, user }]] : []
      })
      const newest = [...pairs.sort(([, a], [, b]) => a.expiresMs - b.expiresMs), ...this.#tokens].slice(-TOKENS_MAX)
      this.#tokens = new Map(newest)
    } catch (error) {
      this.#deps.logger.debug(() => `discarding the tokens stored under ${this.#key}: ${messageOf(error)}`)
    }
  }

  /** Saves changes one second after the last of them, and once more at the end. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#changed.wait(signal).catch(() => {}) // an abort ends the loop
      await this.#settle(signal)
      if (this.#unsaved) await this.#save()
    }
    if (this.#unsaved) await this.#save()
  }

  async #settle(signal: AbortSignal): Promise<void> {
    while (this.#dirty && !signal.aborted) {
      this.#dirty = false
      await this.#deps.clock.sleep(SETTLE_MS, signal).catch(() => {}) // an abort saves at once
    }
  }

  async #save(): Promise<void> {
    this.#unsaved = false
    const stored = [...this.#tokens].map(([name, { expiresMs, user }]) => [
      name,
      user === '' ? expiresMs : [expiresMs, user],
    ])
    const bytes = new TextEncoder().encode(JSON.stringify(Object.fromEntries(stored)))
    try {
      await this.#deps.keyValue.set(this.#key, bytes)
    } catch (error) {
      this.#deps.logger.warn(`Sessions could not be saved and end with this process: ${messageOf(error)}`)
    }
  }

  #put(name: string, user: string): void {
    this.#tokens.delete(name) // moves it to the end of the order
    this.#tokens.set(name, { expiresMs: this.#deps.clock.nowMs() + this.#lifetimeMs(), user })
    for (const oldest of this.#tokens.keys()) {
      if (this.#tokens.size <= TOKENS_MAX) break
      this.#tokens.delete(oldest)
    }
    this.#markChanged()
  }

  #remove(name: string): void {
    if (this.#tokens.delete(name)) this.#markChanged()
  }

  #markChanged(): void {
    this.#dirty = true
    this.#unsaved = true
    this.#changed.ring()
  }
}

function hashOf(token: string): string {
  return hash('sha256', token, 'base64url')
}

/** The upper bound discards tokens that were stored while the clock was wrong. */
function isValidExpiry(expiresMs: unknown, nowMs: number, lifetimeMs: number): expiresMs is number {
  return typeof expiresMs === 'number' && expiresMs > nowMs && expiresMs <= nowMs + lifetimeMs
}
