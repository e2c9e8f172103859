import type { PullOrder } from '../config/config.ts'
import type { FileHead } from './file-info.ts'
import { compareNames, parentOf } from '../paths.ts'

/** The fields that an order compares. */
export type Orderable = Pick<FileHead, 'name' | 'sizeBytes' | 'modifiedS' | 'modifiedNs'>

/** This device among those that share the folder. */
export interface FolderShare {
  readonly own: string
  readonly devices: readonly string[]
}

/** Two devices do not divide files: one of them has them. */
const DIVIDING_DEVICES_MIN = 3

/** The files in pull order. `chance(n)` returns a whole number below n. */
export function sortForPull<T extends Orderable>(
  files: readonly T[],
  order: PullOrder,
  chance: (below: number) => number,
  share?: FolderShare,
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
      if (share === undefined || share.devices.length < DIVIDING_DEVICES_MIN) return shuffledByDirectory(files, chance)
      return byTurn(files, share).flatMap((together) => shuffledByDirectory(together, chance))
  }
}

/**
 * The files by our turn. For each file all devices compute the same order of devices: those of which we are the first
 * come first, then those of which we are the second. Devices that need the same files fetch different ones from a slow
 * source and then exchange them; those of which the source itself is the first are divided among the second.
 */
function byTurn<T extends Orderable>(files: readonly T[], { own, devices }: FolderShare): readonly (readonly T[])[] {
  const ownSeed = hashOf(own)
  const otherSeeds = devices.filter((device) => device !== own).map(hashOf)
  const turns: T[][] = Array.from({ length: otherSeeds.length + 1 }, () => [])
  for (const file of files) {
    const hash = hashOf(file.name)
    const place = mixed(hash, ownSeed)
    const turn = otherSeeds.reduce((before, seed) => before + (mixed(hash, seed) < place ? 1 : 0), 0)
    turns[turn]!.push(file)
  }
  return turns
}

/** FNV-1a over UTF-16 units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** Spreads both values over all bits of the result. */
function mixed(a: number, b: number): number {
  let value = a ^ Math.imul(b, 0x9e3779b1)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
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

/** The blocks of one file in the order in which they are requested, and those that other devices request meanwhile. */
interface BlockShares {
  readonly first: readonly number[]
  readonly others: readonly number[]
}

/**
 * The order in which the blocks of one file are requested: `standard` begins at our own share of the file, so that
 * devices that all need it fetch different parts and can exchange them.
 */
export function shareBlocks(
  blocks: readonly number[],
  order: 'standard' | 'random' | 'inOrder',
  share: { readonly own: number; readonly count: number },
  chance: (below: number) => number,
): BlockShares {
  if (order === 'random') return { first: shuffled(blocks, chance), others: [] }
  if (order === 'inOrder' || blocks.length < 2 || share.count < 2) return { first: blocks, others: [] }
  const size = Math.ceil(blocks.length / share.count)
  const chunks: (readonly number[])[] = []
  for (let start = 0; start < blocks.length; start += size) chunks.push(blocks.slice(start, start + size))
  const others = chunks.filter((_, place) => place !== share.own)
  return { first: chunks[share.own] ?? [], others: shuffled(others, chance).flat() }
}
