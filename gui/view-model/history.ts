import type { HistoryEntryJson } from '../../src/rest/history.ts'
import { baseName, directoryOf } from '../base/paths.ts'

/** Changes that read as one sentence: "laptop changed 214 photos in Camera, 10:02 to 10:09". */
export interface HistoryGroup {
  /** Of its newest entry. */
  readonly id: string
  readonly kind: HistoryEntryJson['kind']
  readonly how: HistoryEntryJson['how']
  /** Short ID of a device. */
  readonly by: string
  readonly noun: 'photos' | 'files' | 'directories'
  /** Files and symlinks; directories where there is nothing else. */
  readonly count: number
  /** The path, where there is one item. */
  readonly path: string | undefined
  /** The directory that holds all of them; empty for the top of the folder. */
  readonly directory: string
  readonly fromMs: number
  readonly toMs: number
  readonly baseline: HistoryEntryJson['baseline']
}

/** Changes further apart are sentences of their own. */
const APART_MS_MAX = 10 * 60_000
/** Groups among which one is looked for: changes of several devices alternate. */
const OPEN_MAX = 12

const PHOTO = /\.(?:jpe?g|png|heic|heif|gif|webp|tiff?|dng|cr2|nef|arw|raf)$/i

/** Groups of entries, both newest first. */
export function groupEntries(entries: readonly HistoryEntryJson[]): readonly HistoryGroup[] {
  const groups: Growing[] = []
  for (const entry of entries) {
    const open = groups.slice(-OPEN_MAX).findLast((group) => group.takes(entry))
    if (open === undefined) groups.push(new Growing(entry))
    else open.add(entry)
  }
  return groups.map((group) => group.result())
}

class Growing {
  readonly #newest: HistoryEntryJson
  #fromMs: number
  #files = 0
  #directories = 0
  #photos = 0
  #directory: string
  #lastFile = ''

  constructor(newest: HistoryEntryJson) {
    this.#newest = newest
    this.#fromMs = Date.parse(newest.time)
    this.#directory = placeOf(newest)
    this.add(newest)
  }

  takes(entry: HistoryEntryJson): boolean {
    const { by, how, kind, time } = entry
    const newest = this.#newest
    if (kind === 'baseline' || kind !== newest.kind || by !== newest.by || how !== newest.how) return false
    const isNear = this.#fromMs - Date.parse(time) <= APART_MS_MAX
    return isNear && topOf(entry) === topOf(newest)
  }

  add(entry: HistoryEntryJson): void {
    const { path, time } = entry
    this.#fromMs = Math.min(this.#fromMs, Date.parse(time))
    if (isDirectory(entry)) this.#directories++
    else {
      this.#files++
      this.#lastFile = path
      if (PHOTO.test(path)) this.#photos++
    }
    this.#directory = commonDirectory(this.#directory, placeOf(entry))
  }

  result(): HistoryGroup {
    const { id, kind, how, by, path, time, baseline } = this.#newest
    const isFiles = this.#files > 0
    const noun = !isFiles ? 'directories' : this.#photos === this.#files ? 'photos' : 'files'
    const count = isFiles ? this.#files : this.#directories
    const single = count === 1 ? (isFiles ? this.#lastFile : path) : undefined
    const directory = single === undefined ? this.#directory : parentOf(single)
    const [fromMs, toMs] = [this.#fromMs, Date.parse(time)]
    return { id, kind, how, by, noun, count, path: single, directory, fromMs, toMs, baseline }
  }
}

/** The name of the directory of a group, or of its only item. */
export function shownName({ path, directory }: HistoryGroup): string {
  return baseName(path ?? directory)
}

function parentOf(path: string): string {
  return directoryOf(path).replace(/\/$/, '')
}

function isDirectory({ after, before }: HistoryEntryJson): boolean {
  return (after ?? before)?.type === 'directory'
}

/** The directory that an entry is about. */
function placeOf(entry: HistoryEntryJson): string {
  return isDirectory(entry) ? entry.path : parentOf(entry.path)
}

/** What is about one directory at the top belongs together, and the files that are in none. */
function topOf(entry: HistoryEntryJson): string {
  return placeOf(entry).split('/')[0] ?? ''
}

function commonDirectory(a: string, b: string): string {
  if (a === b) return a
  const [first, second] = [a.split('/'), b.split('/')]
  const apart = first.findIndex((part, place) => part !== second[place])
  return apart < 0 ? a : first.slice(0, apart).join('/')
}
