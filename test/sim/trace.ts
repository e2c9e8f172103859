import { createHash } from 'node:crypto'

/** All events of a run, one per line; equal digests mean equal runs. */
export class Trace {
  readonly #hash = createHash('sha256')
  readonly #nowMs: () => number
  readonly #print: ((line: string) => void) | undefined
  count = 0

  /** `print` receives each line. */
  constructor(nowMs: () => number, print?: (line: string) => void) {
    this.#nowMs = nowMs
    this.#print = print
  }

  add(who: string, what: string): void {
    const line = `${(this.#nowMs() / 1000).toFixed(3).padStart(9)} ${who.padEnd(5)} ${what}`
    this.#hash.update(line).update('\n')
    this.count++
    this.#print?.(line)
  }

  digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16)
  }
}
