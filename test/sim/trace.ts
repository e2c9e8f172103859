import { createHash } from 'node:crypto'

/** What happened, line by line: its digest says whether two runs were the same, its text what went wrong. */
export class Trace {
  readonly #hash = createHash('sha256')
  readonly #nowMs: () => number
  readonly #print: ((line: string) => void) | undefined
  count = 0

  /** `print`: for whoever reads along. */
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
