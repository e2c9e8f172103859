/** Loaded before the targets: gives every source of `src` that is imported afterwards counters in its branches. */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { COUNTERS, COUNTERS_MAX, instrument } from './instrument.ts'

/** They stop at 255, so that none that was reached reads as zero. */
const counters = new Uint8ClampedArray(COUNTERS_MAX)
/** Eight counters at once: most are zero. */
const words = new Float64Array(counters.buffer)
Reflect.set(globalThis, COUNTERS, counters)
const sources = pathToFileURL(join(import.meta.dirname, '..', '..', 'src')).href
const COUNTERS_PER_WORD = 8
let used = 0

registerHooks({
  load(url, context, next) {
    if (!url.startsWith(`${sources}/`) || !url.endsWith('.ts')) return next(url, context)
    const file = fileURLToPath(url)
    const { text, count } = instrument(file, readFileSync(file, 'utf8'), used)
    used += count
    if (used > COUNTERS_MAX) throw new Error(`more than ${COUNTERS_MAX} branches`)
    return { format: 'module-typescript', shortCircuit: true, source: text }
  },
})

/** The orders of magnitude of a counter that are told apart. */
function magnitude(count: number): number {
  if (count < 4) return count
  return count < 8 ? 4 : count < 16 ? 5 : count < 32 ? 6 : count < 128 ? 7 : 8
}

/** What the inputs so far have reached. */
export class Coverage {
  /** One bit for each magnitude of each counter. */
  readonly #seen = new Uint16Array(COUNTERS_MAX)
  #reached = 0

  /** Branches of the loaded sources. */
  get branches(): number {
    return used
  }

  get reached(): number {
    return this.#reached
  }

  reset(): void {
    counters.fill(0, 0, used)
  }

  /** Adds what the last input has reached; true if any of it is new. */
  add(): boolean {
    let isNew = false
    for (let word = 0; word * COUNTERS_PER_WORD < used; word++) {
      if (words[word] === 0) continue
      const from = word * COUNTERS_PER_WORD
      for (let id = from; id < from + COUNTERS_PER_WORD; id++) if (this.#addOne(id)) isNew = true
    }
    return isNew
  }

  #addOne(id: number): boolean {
    const count = counters[id]!
    const seen = this.#seen[id]!
    const bit = 1 << magnitude(count)
    if (count === 0 || (seen & bit) !== 0) return false
    if (seen === 0) this.#reached++
    this.#seen[id] = seen | bit
    return true
  }
}
