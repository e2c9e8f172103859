import type { FolderExtensions } from '../config/extensions.ts'
import type { MergeMode } from '../config/merge-settings.ts'
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
    this.#union ??= new IgnoreRules(this.#settings.mergeUnion)
    return this.#union.match(name).ignored
  }

  /** The program that merges such files, and its arguments. */
  commandFor(name: string): readonly string[] | undefined {
    this.#programs ??= Object.entries(this.#settings.mergePrograms).map(([pattern, command]) => ({
      rules: new IgnoreRules([pattern]),
      command,
    }))
    return this.#programs.find(({ rules }) => rules.match(name).ignored)?.command
  }
}

const KNOWN = new WeakMap<MergeSettings, MergeRules>()

/** The rules of these settings, compiled once. */
export function mergeRulesOf(settings: MergeSettings): MergeRules {
  const rules = KNOWN.get(settings) ?? new MergeRules(settings)
  KNOWN.set(settings, rules)
  return rules
}
