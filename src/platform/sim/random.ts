import assert from 'node:assert/strict'
import type { Random } from '../random.ts'

/** A seeded generator: deterministic, for simulations, never for keys. */
export class SimRandom implements Random {
  #state: number
  readonly #seed: number

  constructor(seed: number) {
    this.#seed = seed >>> 0
    this.#state = this.#seed
  }

  /** A separate generator, determined by this seed and the name: draws from one do not shift the others. */
  stream(name: string): SimRandom {
    let hash = 0x811c9dc5 ^ this.#seed
    for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
    return new SimRandom(mix(hash))
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.#next() >>> 24)
  }

  int(below: number): number {
    assert.ok(Number.isSafeInteger(below) && below >= 1, `no whole number is below ${below}`)
    if (below > 2 ** 32) return this.#wideInt(below)
    // Draws above the last whole multiple are rejected: they would favour small numbers.
    const limit = 2 ** 32 - (2 ** 32 % below)
    for (;;) {
      const draw = this.#next()
      if (draw < limit) return draw % below
    }
  }

  chance(probability: number): boolean {
    return this.#next() < probability * 2 ** 32
  }

  #wideInt(below: number): number {
    const limit = 2 ** 53 - (2 ** 53 % below)
    for (;;) {
      const draw = (this.#next() >>> 11) * 2 ** 32 + this.#next()
      if (draw < limit) return draw % below
    }
  }

  /** A counter, mixed: every seed has the full period of 2^32. */
  #next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0
    return mix(this.#state)
  }
}

/** One of them, each as likely as the others. */
export function pick<T>(random: SimRandom, choices: readonly T[]): T {
  assert.ok(choices.length > 0, 'nothing to choose from')
  return choices[random.int(choices.length)]! // an index below the length
}

function mix(value: number): number {
  let t = value
  t = Math.imul(t ^ (t >>> 16), 0x85ebca6b)
  t = Math.imul(t ^ (t >>> 13), 0xc2b2ae35)
  return (t ^ (t >>> 16)) >>> 0
}
