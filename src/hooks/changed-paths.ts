import type { Hook } from '../core/hooks/hook.ts'

const PATHS_MAX = 10_000
const LENGTH_MAX = 1_024 * 1_024

interface Collected {
  readonly paths: Set<string>
  length: number
  isComplete: boolean
}

export interface PathList {
  readonly paths: readonly string[]
  /** Whether these are all. */
  readonly isComplete: boolean
}

/** The changed paths of folders since the last delivery of each hook. They are lost when the process ends. */
export class ChangedPaths {
  readonly #startedMs: number
  readonly #lists = new Map<string, Collected>()

  constructor(startedMs: number) {
    this.#startedMs = startedMs
  }

  add(hook: Hook, folder: string, path: string): void {
    const list = this.#of(hook, folder)
    if (list.paths.has(path)) return
    if (list.paths.size >= PATHS_MAX || list.length + path.length > LENGTH_MAX) {
      list.isComplete = false
      return
    }
    list.paths.add(path)
    list.length += path.length
  }

  /** The next list begins with this call. */
  take(hook: Hook, folder: string): PathList {
    const { paths, isComplete } = this.#of(hook, folder)
    this.#lists.set(keyOf(hook, folder), { paths: new Set(), length: 0, isComplete: true })
    return { paths: [...paths], isComplete }
  }

  remove(hook: Hook): void {
    for (const key of this.#lists.keys()) if (key.startsWith(keyOf(hook, ''))) this.#lists.delete(key)
  }

  #of(hook: Hook, folder: string): Collected {
    const key = keyOf(hook, folder)
    const known = this.#lists.get(key)
    if (known !== undefined) return known
    // Of what changed before this process nothing is known.
    const made = { paths: new Set<string>(), length: 0, isComplete: hook.createdMs >= this.#startedMs }
    this.#lists.set(key, made)
    return made
  }
}

function keyOf({ id }: Hook, folder: string): string {
  return `${id}/${folder}`
}
