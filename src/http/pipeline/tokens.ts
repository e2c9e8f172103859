import { hash } from 'node:crypto'
import { messageOf } from '../../core/errors.ts'
import type { Logger } from '../../events/types.ts'
import { Wakeup } from '../../sync/wakeup.ts'
import type { Clock } from '../../platform/clock.ts'
import { randomText, type Random } from '../../platform/random.ts'
import type { TokenStorage } from '../types.ts'

const TOKENS_MAX = 25
const TOKEN_LENGTH = 64
const QUIET_MS = 1_000

export interface TokenDeps {
  readonly clock: Clock
  readonly random: Random
  readonly keyValue: TokenStorage
  readonly logger: Logger
}

/**
 * Tokens handed to browsers: at most 25, the longest unused dropped first; use prolongs their life. Only hashes are
 * kept, in memory and on disk: neither a stolen database nor the time a lookup takes says anything about a token.
 */
export class TokenStore {
  readonly #deps: TokenDeps
  readonly #key: string
  readonly #lifetimeMs: number
  /** Hash to expiry, the longest unused first. */
  #expiry = new Map<string, number>()
  readonly #changed = new Wakeup()
  /** Changed since the last look, and changed since the last save. */
  #dirty = false
  #unsaved = false

  constructor(deps: TokenDeps, options: { readonly key: string; readonly lifetimeMs: number }) {
    this.#deps = deps
    this.#key = options.key
    this.#lifetimeMs = options.lifetimeMs
  }

  make(): string {
    const token = randomText(this.#deps.random, TOKEN_LENGTH)
    this.#put(hashOf(token))
    return token
  }

  /** Says whether a token is ours and alive, and prolongs its life if so. */
  use(token: string): boolean {
    if (token.length !== TOKEN_LENGTH) return false
    const name = hashOf(token)
    const expiresMs = this.#expiry.get(name)
    if (expiresMs === undefined) return false
    if (expiresMs <= this.#deps.clock.nowMs()) {
      this.#remove(name)
      return false
    }
    this.#put(name)
    return true
  }

  drop(token: string): void {
    this.#remove(hashOf(token))
  }

  dropAll(): void {
    this.#expiry.clear()
    this.#touch()
  }

  /** Brings back what an earlier process kept. What cannot be read is no loss: people log in again. */
  async load(): Promise<void> {
    try {
      const bytes = await this.#deps.keyValue.get(this.#key)
      if (bytes === undefined) return
      const kept: unknown = JSON.parse(new TextDecoder().decode(bytes))
      const nowMs = this.#deps.clock.nowMs()
      const pairs = Object.entries(Object(kept)).filter((pair): pair is [string, number] =>
        isAlive(pair[1], nowMs, this.#lifetimeMs),
      )
      const known = [...pairs.sort(([, a], [, b]) => a - b), ...this.#expiry].slice(-TOKENS_MAX)
      this.#expiry = new Map(known)
    } catch (error) {
      this.#deps.logger.debug(() => `forgetting the tokens kept under ${this.#key}: ${messageOf(error)}`)
    }
  }

  /** Saves changes one second after the last of them, and once more at the end. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#changed.wait(signal).catch(() => {}) // an abort ends the loop
      await this.#quiet(signal)
      if (this.#unsaved) await this.#save()
    }
    if (this.#unsaved) await this.#save()
  }

  async #quiet(signal: AbortSignal): Promise<void> {
    while (this.#dirty && !signal.aborted) {
      this.#dirty = false
      await this.#deps.clock.sleep(QUIET_MS, signal).catch(() => {}) // an abort saves at once
    }
  }

  async #save(): Promise<void> {
    this.#unsaved = false
    const bytes = new TextEncoder().encode(JSON.stringify(Object.fromEntries(this.#expiry)))
    try {
      await this.#deps.keyValue.set(this.#key, bytes)
    } catch (error) {
      this.#deps.logger.warn(`Sessions could not be saved and end with this process: ${messageOf(error)}`)
    }
  }

  #put(name: string): void {
    this.#expiry.delete(name) // to the end of the order
    this.#expiry.set(name, this.#deps.clock.nowMs() + this.#lifetimeMs)
    for (const oldest of this.#expiry.keys()) {
      if (this.#expiry.size <= TOKENS_MAX) break
      this.#expiry.delete(oldest)
    }
    this.#touch()
  }

  #remove(name: string): void {
    if (this.#expiry.delete(name)) this.#touch()
  }

  #touch(): void {
    this.#dirty = true
    this.#unsaved = true
    this.#changed.ring()
  }
}

function hashOf(token: string): string {
  return hash('sha256', token, 'base64url')
}

/** A clock that was wrong once must not keep a token alive for ever. */
function isAlive(expiresMs: unknown, nowMs: number, lifetimeMs: number): expiresMs is number {
  return typeof expiresMs === 'number' && expiresMs > nowMs && expiresMs <= nowMs + lifetimeMs
}
