import type { Lines } from '../files/lines.ts'

/** Keeps lines in memory, by path, for tests to read. */
export class SimLines implements Lines {
  readonly files = new Map<string, string[]>()

  open(path: string): ReturnType<Lines['open']> {
    const lines = this.files.get(path) ?? []
    this.files.set(path, lines)
    return { write: (line) => void lines.push(line), [Symbol.dispose]: () => {} }
  }
}
