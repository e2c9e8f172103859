/** Which unit tests can notice a fault in which source file: those that import it, nearest first. */
import { filesOf, readImports } from '../imports.ts'

const NOT_UNIT = /^test\/(process|package|interop|arm64|browser|support|sim|fixtures)\//

export class TestsOf {
  /** From a file to those that import it. */
  readonly #importers = new Map<string, string[]>()

  constructor(root: string) {
    for (const file of filesOf(root, ['src/**/*.ts', 'test/**/*.ts'])) {
      for (const { target, typesOnly } of readImports(root, file)) {
        if (typesOnly) continue
        const known = this.#importers.get(target)
        if (known === undefined) this.#importers.set(target, [file])
        else known.push(file)
      }
    }
  }

  /** Two groups: those named like the file; then direct importers, others of the folder, direct importers elsewhere. */
  groups(file: string): readonly (readonly string[])[] {
    const folder = `test/${file.split('/')[1]}/`
    const name = file.replace(/^.*\/|\.ts$/g, '')
    const levels = this.#levels(file)
    const direct = levels.find((tests) => tests.length > 0) ?? []
    const reached = levels.flat().filter((test) => test.startsWith(folder))
    const isNamed = (test: string) => test.endsWith(`/${name}.test.ts`)
    const nearest = [...direct.filter((test) => test.startsWith(folder)), ...reached, ...direct]
    return [reached.filter(isNamed), [...new Set(nearest)].filter((test) => !isNamed(test))]
  }

  #levels(file: string): readonly (readonly string[])[] {
    const levels: string[][] = []
    const seen = new Set([file])
    let level = [file]
    while (level.length > 0) {
      const next = level.flatMap((at) => this.#importers.get(at) ?? []).filter((at) => !seen.has(at))
      level = [...new Set(next)]
      for (const at of level) seen.add(at)
      levels.push(level.filter((at) => at.endsWith('.test.ts') && !NOT_UNIT.test(at)))
    }
    return levels
  }
}
