import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const KIB = 1024
const MIB = 1024 * KIB
/** As in a photo collection or a checked-out repository: many directories, few dozen files each. */
const FILES_PER_DIRECTORY = 25
const DIRECTORIES_PER_DIRECTORY = 20

/** What one test tree holds. The name is its directory: equal names mean equal bytes. */
export interface TreeSpec {
  readonly name: string
  readonly files: number
  readonly sizeBytesMin: number
  readonly sizeBytesMax: number
}

export interface Tree extends TreeSpec {
  readonly path: string
}

export function largeFiles(files: number, sizeMiB: number): TreeSpec {
  return { name: `large-${files}x${sizeMiB}`, files, sizeBytesMin: sizeMiB * MIB, sizeBytesMax: sizeMiB * MIB }
}

export function smallFiles(files: number): TreeSpec {
  // A million files of up to 8 KiB would take more disk than a benchmark may: those are 1 to 4 KiB.
  const sizeMaxKib = files > 500_000 ? 4 : 8
  return { name: `small-${files}-${sizeMaxKib}k`, files, sizeBytesMin: KIB, sizeBytesMax: sizeMaxKib * KIB }
}

export function sameSizeFiles(files: number, sizeBytes: number): TreeSpec {
  return { name: `same-${files}x${sizeBytes}`, files, sizeBytesMin: sizeBytes, sizeBytesMax: sizeBytes }
}

const ROOT = join(tmpdir(), 'twinfold-bench-trees')

/** Creates the tree, or reuses it from an earlier row or run. */
export function makeTree(spec: TreeSpec): Tree {
  const path = join(ROOT, spec.name)
  const complete = `${path}.complete`
  const random = seeded(spec.files)
  const sizes = Array.from({ length: spec.files }, () => {
    return spec.sizeBytesMin + Math.floor(random() * (spec.sizeBytesMax - spec.sizeBytesMin + 1))
  })
  const tree = { ...spec, path }
  if (existsSync(complete)) return tree
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { recursive: true })
  const pool = poolOf(random)
  let directory = ''
  for (const [index, sizeBytes] of sizes.entries()) {
    if (index % FILES_PER_DIRECTORY === 0) {
      directory = join(path, directoryName(index / FILES_PER_DIRECTORY))
      mkdirSync(directory, { recursive: true })
    }
    writeFile(join(directory, `file-${index}.bin`), pool, index, sizeBytes)
  }
  writeFileSync(complete, '')
  return tree
}

/** A directory beside the trees that `fill` fills once; it is removed with them, and so kept by `--keep`. */
export async function madeOnce(name: string, fill: (path: string) => Promise<void>): Promise<string> {
  const path = join(ROOT, name)
  if (existsSync(`${path}.complete`)) return path
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { recursive: true, mode: 0o700 })
  await fill(path)
  writeFileSync(`${path}.complete`, '')
  return path
}

export function removeTree(spec: TreeSpec): void {
  rmSync(join(ROOT, `${spec.name}.complete`), { force: true })
  rmSync(join(ROOT, spec.name), { recursive: true, force: true })
}

export function removeAllTrees(): void {
  rmSync(ROOT, { recursive: true, force: true })
}

function directoryName(number: number): string {
  const top = Math.floor(number / DIRECTORIES_PER_DIRECTORY)
  return join(`group-${String(top).padStart(4, '0')}`, `album-${String(number).padStart(5, '0')}`)
}

/** Each block starts with its own number, so that no two blocks of a tree are equal and nothing can be reused. */
function writeFile(path: string, pool: Buffer, fileIndex: number, sizeBytes: number): void {
  const descriptor = openSync(path, 'w')
  for (let offset = 0; offset < sizeBytes; offset += pool.length) {
    for (let at = 0; at < pool.length && offset + at < sizeBytes; at += 128 * KIB) {
      pool.writeUInt32LE(fileIndex, at)
      pool.writeUInt32LE((offset + at) / KIB, at + 4)
    }
    writeSync(descriptor, pool, 0, Math.min(pool.length, sizeBytes - offset))
  }
  closeSync(descriptor)
}

function poolOf(random: () => number): Buffer {
  const pool = Buffer.alloc(MIB)
  for (let at = 0; at < pool.length; at += 4) pool.writeUInt32LE(Math.floor(random() * 2 ** 32), at)
  return pool
}

/** mulberry32. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
