import assert from 'node:assert/strict'
import { lstatSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { converged, seededRandom, type DevicePair } from '../support/device-pair.ts'
import { fileDigest } from '../support/file-digest.ts'
import { sha256 } from '../support/wire-frames.ts'

const TEMPORARY = /(^|\/)[.~]syncthing[.~][^/]*$/
const CONFLICT = /\.sync-conflict-/

/** Every content a path ever had, by its hash: whatever stands under a final name must be one of them. */
export class Contents {
  readonly #known = new Map<string, Set<string>>()
  readonly #random: (below: number) => number
  readonly #root: string
  bytes = 0

  constructor(root: string, seed: number) {
    this.#root = root
    this.#random = seededRandom(seed)
  }

  /** Writes a new content there: most are small, some have many blocks, some are empty. */
  write(path: string): void {
    const kind = this.#random(10)
    const sizeBytes = kind < 1 ? 0 : Math.floor(this.#random(kind < 7 ? 30_000 : 1_000_000))
    const content = Buffer.alloc(sizeBytes)
    for (let at = 0; at + 4 <= sizeBytes; at += 4_096) content.writeUInt32LE(Math.floor(this.#random(2 ** 32)), at)
    mkdirSync(dirname(join(this.#root, path)), { recursive: true })
    writeFileSync(join(this.#root, path), content)
    // Whole milliseconds survive every way to set a time.
    const modifiedS = Math.floor(Date.now()) / 1_000
    utimesSync(join(this.#root, path), modifiedS, modifiedS)
    const hashes = this.#known.get(path) ?? new Set()
    this.#known.set(path, hashes.add(sha256(content).toString('hex')))
    this.bytes += sizeBytes
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.#random(items.length))]
    assert.ok(item !== undefined)
    return item
  }

  below(limit: number): number {
    return this.#random(limit)
  }

  /** Paths with a content that was never written there. */
  torn(root: string): readonly string[] {
    return filesOf(root).filter((path) => {
      if (TEMPORARY.test(path)) return false
      const file = join(root, path)
      return this.#known.get(path)?.has(fileDigest(file, lstatSync(file, { bigint: true }))) !== true
    })
  }
}

function filesOf(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !path.startsWith('.stfolder/'))
}

export const temporaries = (root: string) => filesOf(root).filter((path) => TEMPORARY.test(path))
export const conflicts = (root: string) => filesOf(root).filter((path) => CONFLICT.test(path))

/** Equal trees, no unfinished file, no needless conflict copy. */
export async function assertConverged(pair: DevicePair, contents: Contents): Promise<void> {
  await converged(pair)
  for (const { root } of pair.both) {
    assert.deepEqual(contents.torn(root), [])
    assert.deepEqual(temporaries(root), [])
    assert.deepEqual(conflicts(root), [])
  }
}
