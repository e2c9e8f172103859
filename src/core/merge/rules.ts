import type { FolderExtensions } from '../config/extensions.ts'
import type { MergeMode } from '../config/merge-settings.ts'
import { messageOf, TwinfoldError } from '../errors.ts'
import { IgnoreRules } from '../ignore/ignore.ts'

type MergeSettings = Pick<FolderExtensions, 'merge' | 'mergeUnion' | 'mergePrograms'>

/** What is done with conflicting edits of a name. Patterns are compiled at their first use. */
export class MergeRules {
  readonly mode: MergeMode
  readonly #settings: MergeSettings
  #union: IgnoreRules | undefined
  #programs: readonly { readonly rules: IgnoreRules; readonly command: readonly string[] }[] | undefined

  constructor(settings: MergeSettings) {
    this.mode = settings.merge
    this.#settings = settings
  }

  /** Lines that both sides added are all kept. */
  isUnion(name: string): boolean {
    this.#union ??= compileUsable(this.#settings.mergeUnion)
    return this.#union.match(name).ignored
  }

  /** The program that merges such files, and its arguments. */
  commandFor(name: string): readonly string[] | undefined {
    this.#programs ??= Object.entries(this.#settings.mergePrograms).map(([pattern, command]) => ({
      rules: compileUsable([pattern]),
      command,
    }))
    return this.#programs.find(({ rules }) => rules.match(name).ignored)?.command
  }
}

/** Throws `bad-request` with the first pattern that cannot be compiled. */
export function checkMergePatterns({ mergePrograms = {}, mergeUnion = [] }: Partial<MergeSettings>): void {
  for (const pattern of [...mergeUnion, ...Object.keys(mergePrograms)]) {
    try {
      if (new IgnoreRules([pattern]).lines.length === 1) continue
    } catch (error) {
      throw new TwinfoldError('bad-request', `the pattern ${JSON.stringify(pattern)}: ${messageOf(error)}`)
    }
  }
}

/** A pattern that the file was given by hand, and that cannot be compiled, matches nothing. */
function compileUsable(patterns: readonly string[]): IgnoreRules {
  const usable = patterns.filter((pattern) => {
    try {
      return new IgnoreRules([pattern]).lines.length > 0
    } catch {
      return false
    }
  })
  return new IgnoreRules(usable)
}

const KNOWN = new WeakMap<MergeSettings, MergeRules>()

/** The rules of these settings, compiled once. */
export function mergeRulesOf(settings: MergeSettings): MergeRules {
  const rules = KNOWN.get(settings) ?? new MergeRules(settings)
  KNOWN.set(settings, rules)
  return rules
}
