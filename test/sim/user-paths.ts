import { isInternal, isTemporary } from '../../src/core/paths.ts'
import type { SimItem } from '../../src/platform/sim/direct-access.ts'
import { pick, type SimRandom } from '../../src/platform/sim/random.ts'
import { ROOT, type SimDevice } from './device.ts'

const DIRECTORIES = ['', 'a', 'a/b', 'c', 'd'] as const
const DEEP_DIRECTORIES = ['', 'a', 'a/b', 'a/b/c', 'a/b/c/d', 'one', 'two/three'] as const
export const NAMES = ['one', 'two', 'three', 'four', 'five'] as const

/** Neither an internal nor a temporary name. */
export function isUsers(path: string): boolean {
  return !isInternal(path) && !isTemporary(path)
}

/** The item and everything below it. */
export function itemsAt({ disk }: SimDevice, path: string): ReadonlyMap<string, SimItem> {
  const { direct } = disk
  const item = direct.look(`${ROOT}/${path}`)
  if (item === undefined) return new Map()
  const below = item.type === 'directory' ? direct.tree(`${ROOT}/${path}`) : new Map<string, SimItem>()
  return new Map([[path, item], ...Array.from(below, ([inner, found]) => [`${path}/${inner}`, found] as const)])
}

/** Random paths for user actions. */
export class UserPaths {
  readonly #random: SimRandom
  readonly #directories: readonly string[]

  /** `deep`: directories inside others. */
  constructor(random: SimRandom, deep: boolean) {
    this.#random = random
    this.#directories = deep ? DEEP_DIRECTORIES : DIRECTORIES
  }

  /** Of an existing item, or a new one. */
  any(device: SimDevice): string {
    const directory = pick(this.#random, this.#directories)
    const existing = this.#random.chance(0.4) ? this.existing(device) : undefined
    if (existing !== undefined) return existing
    return directory === '' ? pick(this.#random, NAMES) : `${directory}/${pick(this.#random, NAMES)}`
  }

  /** A random existing item, if there is any. */
  existing({ disk }: SimDevice, type?: SimItem['type']): string | undefined {
    const paths = [...disk.direct.tree(ROOT)].filter(
      ([path, item]) => isUsers(path) && (type ?? item.type) === item.type,
    )
    return paths.length === 0 ? undefined : pick(this.#random, paths)[0]
  }
}
