import type { PullOrder } from '../config/config.ts'
import { compareNames, parentOf } from '../paths.ts'

/** This device among those that share the folder. */
export interface FolderShare {
  readonly own: string
  readonly devices: readonly string[]
}

/** Two devices do not divide files: one of them has them. */
const DIVIDING_DEVICES_MIN = 3

/** Files by their places in a list, which need not hold an object for each. */
export interface OrderableList {
  readonly count: number
  name(place: number): string
  sizeBytes(place: number): number
  modifiedS(place: number): number
  modifiedNs(place: number): number
}

/** The places of the files in pull order. `chance(n)` returns a whole number below n. */
export function placesForPull(
  list: OrderableList,
  order: PullOrder,
  chance: (below: number) => number,
  share?: FolderShare,
): Uint32Array {
  const places = Uint32Array.from({ length: list.count }, (_, place) => place)
  switch (order) {
    case 'alphabetic':
      return isByName(list) ? places : places.sort((a, b) => compareNames(list.name(a), list.name(b)) || a - b)
    case 'smallestFirst':
      return places.sort((a, b) => list.sizeBytes(a) - list.sizeBytes(b) || a - b)
    case 'largestFirst':
      return places.sort((a, b) => list.sizeBytes(b) - list.sizeBytes(a) || a - b)
    case 'oldestFirst':
      return places.sort((a, b) => compareTimes(list, a, b) || a - b)
    case 'newestFirst':
      return places.sort((a, b) => compareTimes(list, b, a) || a - b)
    default: // the configuration may hold a value of a later version
      if (share !== undefined && share.devices.length >= DIVIDING_DEVICES_MIN)
        for (const together of byTurn(list, places, share)) shuffleByDirectory(list, together, chance)
      else shuffleByDirectory(list, places, chance)
      return places
  }
}

/** Needed items are read in this order: most lists need no comparison of names that are decoded for it. */
function isByName(list: OrderableList): boolean {
  for (let place = 1; place < list.count; place++)
    if (compareNames(list.name(place - 1), list.name(place)) > 0) return false
  return true
}

/**
 * Orders the places by our turn; returns those of each turn, as parts of the same memory. For each file all devices
 * compute the same order of devices: those of which we are the first come first, then those of which we are the second.
 * Devices that need the same files fetch different ones from a slow source and then exchange them; those of which the
 * source itself is the first are divided among the second.
 */
function byTurn(list: OrderableList, places: Uint32Array, share: FolderShare): readonly Uint32Array[] {
  const earlier = earlierDevices(share)
  const turnOf = (place: number) => earlier(list.name(place)).length
  return grouped(places, Uint32Array.from(places, turnOf), share.devices.length + 1)
}

/** The devices whose turn to fetch a file is before ours, by its name; all devices compute the same order. */
export function earlierDevices({ own, devices }: FolderShare): (name: string) => readonly string[] {
  const ownSeed = hashOf(own)
  const others = devices.filter((device) => device !== own).map((device) => ({ device, seed: hashOf(device) }))
  return (name) => {
    const hash = hashOf(name)
    const rank = mixed(hash, ownSeed)
    return others.filter(({ seed }) => mixed(hash, seed) < rank).map(({ device }) => device)
  }
}

/** Orders the places by the number of their group, which is at the same index; returns the places of each group. */
function grouped(places: Uint32Array, groups: Uint32Array, count: number): readonly Uint32Array[] {
  const ends = new Uint32Array(count)
  for (const group of groups) ends[group] = (ends[group] ?? 0) + 1
  for (let group = 1; group < count; group++) ends[group] = (ends[group] ?? 0) + (ends[group - 1] ?? 0)
  const before = places.slice()
  const begins = ends.slice()
  for (let at = before.length - 1; at >= 0; at--) {
    const begin = (begins[groups[at]!] ?? 0) - 1
    begins[groups[at]!] = begin
    places[begin] = before[at]!
  }
  return Array.from(ends, (end, group) => places.subarray(begins[group], end))
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

function compareTimes(list: OrderableList, a: number, b: number): number {
  return list.modifiedS(a) - list.modifiedS(b) || list.modifiedNs(a) - list.modifiedNs(b)
}

/**
 * Directories in random order, and the files of each in random order. Devices that need the same files begin with
 * different ones, and a directory is synced to disk once for many files, not once for every file.
 */
function shuffleByDirectory(list: OrderableList, places: Uint32Array, chance: (below: number) => number): void {
  const directories = new Map<string, number>()
  let [last, lastNumber] = ['', -1]
  const numbers = new Uint32Array(places.length)
  places.forEach((place, at) => {
    const directory = parentOf(list.name(place))
    // Files of one directory follow one another: most names need no lookup.
    if (directory !== last || lastNumber < 0) {
      lastNumber = directories.get(directory) ?? directories.size
      if (lastNumber === directories.size) directories.set(directory, lastNumber)
      last = directory
    }
    numbers[at] = lastNumber
  })
  const ranks = Uint32Array.from({ length: directories.size }, (_, number) => number)
  shuffle(ranks, chance)
  const groups = numbers.map((number) => ranks[number]!)
  for (const together of grouped(places, groups, directories.size)) shuffle(together, chance)
}

/** A uniform shuffle. */
export function shuffled<T>(items: readonly T[], chance: (below: number) => number): readonly T[] {
  const result = [...items]
  shuffle(result, chance)
  return result
}

function shuffle<T>(items: { [place: number]: T; readonly length: number }, chance: (below: number) => number): void {
  for (let i = items.length - 1; i > 0; i--) {
    const j = chance(i + 1)
    const moved = items[i]!
    items[i] = items[j]!
    items[j] = moved
  }
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
  // Each block by itself: devices that have fetched their shares and help another one request different blocks.
  const others = chunks.filter((_, place) => place !== share.own).flat()
  return { first: chunks[share.own] ?? [], others: shuffled(others, chance) }
}
