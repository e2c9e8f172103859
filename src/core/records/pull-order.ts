import type { PullOrder } from '../config/config.ts'
import type { FileHead } from './file-info.ts'
import { compareNames, parentOf } from '../paths.ts'

/** The fields that an order compares. */
export type Orderable = Pick<FileHead, 'name' | 'sizeBytes' | 'modifiedS' | 'modifiedNs'>

/** The files in pull order. `chance(n)` returns a whole number below n. */
export function sortForPull<T extends Orderable>(
  files: readonly T[],
  order: PullOrder,
  chance: (below: number) => number,
): readonly T[] {
  switch (order) {
    case 'alphabetic':
      return files.toSorted((a, b) => compareNames(a.name, b.name))
    case 'smallestFirst':
      return files.toSorted((a, b) => a.sizeBytes - b.sizeBytes)
    case 'largestFirst':
      return files.toSorted((a, b) => b.sizeBytes - a.sizeBytes)
    case 'oldestFirst':
      return files.toSorted(compareTimes)
    case 'newestFirst':
      return files.toSorted((a, b) => compareTimes(b, a))
    default: // the configuration may hold a value of a later version
      return shuffledByDirectory(files, chance)
  }
}

function compareTimes(a: Orderable, b: Orderable): number {
  return a.modifiedS - b.modifiedS || a.modifiedNs - b.modifiedNs
}

/**
 * Directories in random order, and the files of each in random order. Devices that need the same files begin with
 * different ones, and a directory is synced to disk once for many files, not once for every file.
 */
function shuffledByDirectory<T extends Orderable>(
  files: readonly T[],
  chance: (below: number) => number,
): readonly T[] {
  const byDirectory = Map.groupBy(files, ({ name }) => parentOf(name))
  return shuffled([...byDirectory.values()], chance).flatMap((together) => shuffled(together, chance))
}

/** A uniform shuffle. */
export function shuffled<T>(items: readonly T[], chance: (below: number) => number): readonly T[] {
  const result = [...items]
  for (let i = result.length - 1; i > 0; i--) {
    const j = chance(i + 1)
    const moved = result[i]!
    result[i] = result[j]!
    result[j] = moved
  }
  return result
}

/**
 * The order in which the blocks of one file are requested: `standard` begins at our own share of the file, so that
 * devices that all need it fetch different parts and can exchange them.
 */
export function sortBlocks(
  blocks: readonly number[],
  order: 'standard' | 'random' | 'inOrder',
  share: { readonly own: number; readonly count: number },
  chance: (below: number) => number,
): readonly number[] {
  if (order === 'inOrder' || blocks.length < 2) return blocks
  if (order === 'random') return shuffled(blocks, chance)
  const size = Math.ceil(blocks.length / Math.max(1, share.count))
  const chunks: (readonly number[])[] = []
  for (let start = 0; start < blocks.length; start += size) chunks.push(blocks.slice(start, start + size))
  const own = chunks[share.own] ?? []
  const others = chunks.filter((_, place) => place !== share.own)
  return [...own, ...shuffled(others, chance).flat()]
}
