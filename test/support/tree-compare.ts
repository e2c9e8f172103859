import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileDigest } from './file-digest.ts'

/** What a tree has under one name, as far as it travels: type, mode, content and the time of files. */
export interface TreeItem {
  readonly type: 'file' | 'directory' | 'symlink'
  readonly mode: number
  /** Digest of a file, target of a symlink. */
  readonly content: string
  readonly sizeBytes: number
  readonly modifiedNs: bigint
}

export interface Difference {
  readonly path: string
  readonly items: readonly (TreeItem | undefined)[]
}

/** Precision of times of disks and runtimes. */
const ROUNDED_NS_MAX = 1_000n

const TEMPORARY = /(^|\/)(\.syncthing\.|~syncthing~)[^/]*$/
const CONFLICT = /\.sync-conflict-\d{8}-\d{6}-[A-Z2-7]{7}[^/]*$/

export function isTemporaryPath(path: string): boolean {
  return TEMPORARY.test(path)
}

export function temporaries(root: string): readonly string[] {
  return namesIn(root).filter(isTemporaryPath)
}

export function conflictCopies(root: string): readonly string[] {
  return namesIn(root).filter((path) => CONFLICT.test(path))
}

/** Everything in a folder that is regular enough to travel, by name. */
export function treeItems(root: string): ReadonlyMap<string, TreeItem> {
  const items = new Map<string, TreeItem>()
  for (const path of namesIn(root)) {
    const item = itemAt(join(root, path))
    if (item !== undefined) items.set(path, item)
  }
  return items
}

/** What the programs keep for themselves at the top of a folder is left out. */
function namesIn(root: string, below = ''): readonly string[] {
  const names: string[] = []
  const read = () => readdirSync(join(root, below), { withFileTypes: true })
  const entries = below === '' ? read() : (ifThere(read) ?? []) // a directory may vanish meanwhile
  for (const entry of entries) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (below === '' && /^\.st(folder|ignore|versions)$/.test(entry.name)) continue
    if (entry.name.includes('\ufffd')) continue // not text: neither program takes it
    names.push(path)
    if (entry.isDirectory()) names.push(...namesIn(root, path))
  }
  return names.sort()
}

function ifThere<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

function itemAt(path: string): TreeItem | undefined {
  return ifThere(() => existingItemAt(path))
}

function existingItemAt(path: string): TreeItem | undefined {
  const state = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (state === undefined) return undefined
  const common = { mode: Number(state.mode) & 0o777, sizeBytes: Number(state.size), modifiedNs: state.mtimeNs }
  if (state.isSymbolicLink()) return { ...common, type: 'symlink', mode: 0, content: readlinkSync(path) }
  if (state.isDirectory()) return { ...common, type: 'directory', content: '' }
  return state.isFile() ? { ...common, type: 'file', content: fileDigest(path, state).slice(0, 24) } : undefined
}

/** Names that differ between the trees. */
export function differences(
  roots: readonly string[],
  except: (path: string) => boolean = () => false,
): readonly Difference[] {
  const trees = roots.map(treeItems)
  const paths = new Set(trees.flatMap((tree) => [...tree.keys()]))
  const found: Difference[] = []
  for (const path of paths) {
    if (except(path)) continue
    const items = trees.map((tree) => tree.get(path))
    if (items.some((item) => !isEqualItem(item, items[0]))) found.push({ path, items })
  }
  return found
}

/** Names under which one tree has something else than the other. */
export function differingNames(
  a: ReadonlyMap<string, TreeItem | undefined>,
  b: ReadonlyMap<string, TreeItem | undefined>,
): readonly string[] {
  return [...new Set([...a.keys(), ...b.keys()])].filter((path) => !isEqualItem(a.get(path), b.get(path))).sort()
}

function isEqualItem(a: TreeItem | undefined, b: TreeItem | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  if (a.type !== b.type || a.mode !== b.mode || a.content !== b.content) return false
  if (a.type !== 'file') return true
  const apartNs = a.modifiedNs - b.modifiedNs
  return a.sizeBytes === b.sizeBytes && apartNs < ROUNDED_NS_MAX && apartNs > -ROUNDED_NS_MAX
}

export function describeDifference({ path, items }: Difference): string {
  const texts = items.map((item) =>
    item === undefined
      ? 'nothing'
      : `${item.type} ${item.mode.toString(8)} ${item.sizeBytes} ${item.modifiedNs} ${item.content.slice(0, 12)}`,
  )
  return `${JSON.stringify(path)}: ${texts.join(' | ')}`
}
