import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProgramKind } from '../support/sync-pair.ts'
import { temporaries, treeItems, type Difference } from '../support/tree-compare.ts'
import { digestOf, type Ledger } from './ledger.ts'
import { REPOSITORY } from './repository.ts'
import { UNFINISHED } from './user.ts'

/** A device and the directory of its folder. */
export interface Place {
  readonly kind: ProgramKind
  readonly name: string
  readonly root: string
}

/** Files under a final name whose content no device has written. */
export function tornFiles({ name, root }: Place, ledger: Ledger): readonly string[] {
  const unfinished = new Set(temporaries(root))
  return [...treeItems(root)]
    .filter(([path, { type, content }]) => {
      if (type !== 'file' || unfinished.has(path) || UNFINISHED.test(path) || path.startsWith(`${REPOSITORY}/`))
        return false
      return ledger.find(content) === undefined
    })
    .map(
      ([path, { sizeBytes, content }]) => `${name}: ${path} has ${sizeBytes} bytes that no device wrote (${content})`,
    )
}

export interface Losses {
  readonly lost: readonly string[]
  /** Replaced on the disk of the real Syncthing before any Twinfold had them. */
  readonly lostAtSyncthing: number
  /** Only among the versions of a member. */
  readonly versionsOnly: number
}

/** The contents that must exist and exist nowhere, after all trees have become equal. */
export function lossesAmong(members: readonly Place[], ledger: Ledger): Losses {
  const found = new Set<string>()
  for (const member of members) {
    for (const { type, content } of treeItems(member.root).values()) {
      if (type !== 'file') continue
      found.add(content)
      const written = ledger.find(content)
      if (written !== undefined && member.name !== written.member && member.kind === 'twinfold') written.spread = true
    }
  }
  const versions = new Set(members.flatMap(({ root }) => versionDigests(root)))
  const kindOf = new Map(members.map(({ name, kind }) => [name, kind]))
  const lost: string[] = []
  let lostAtSyncthing = 0
  let versionsOnly = 0
  for (const [digest, written] of ledger.missing(found)) {
    ledger.forget(digest)
    if (versions.has(digest)) versionsOnly++
    else if (kindOf.get(written.member) === 'syncthing' && !written.spread) lostAtSyncthing++
    else
      lost.push(`${written.path}, written at ${written.member} in round ${written.round} (${digest}), exists nowhere`)
  }
  return { lost, lostAtSyncthing, versionsOnly }
}

/**
 * Paths of files that only the real Syncthing has with another content, of the size and time that all have: it took a
 * change of metadata and gave the file its time, without a look at what a user had just written.
 */
export function hiddenAtSyncthing(members: readonly Place[], unlike: readonly Difference[]): readonly string[] {
  const at = members.findIndex(({ kind }) => kind === 'syncthing')
  return unlike
    .filter(({ items }) => {
      const [theirs, ...others] = [items[at], ...items.filter((_, index) => index !== at)]
      return (
        theirs?.type === 'file' &&
        others.every(
          (other) =>
            other?.type === 'file' &&
            other.content === others[0]?.content &&
            other.sizeBytes === theirs.sizeBytes &&
            other.modifiedNs === theirs.modifiedNs,
        )
      )
    })
    .map(({ path }) => path)
}

/** Paths of files that only the real Syncthing has. */
export function onlyAtSyncthing(members: readonly Place[], unlike: readonly Difference[]): readonly string[] {
  const at = members.findIndex(({ kind }) => kind === 'syncthing')
  return unlike
    .filter(({ items }) => items[at]?.type === 'file' && items.every((item, index) => index === at || !item))
    .map(({ path }) => path)
}

interface RecordView {
  readonly deleted: boolean
  readonly version: readonly string[]
}

/**
 * Whether Syncthing has given a file of its own the version of a deletion, by its view of the file. It does so with a
 * deletion that counts more changes of its own than it knows of, as after a kill; all devices then show 100 %.
 */
export function isKeptDeletion(view: unknown): boolean {
  const { local, global } = view as { readonly local: RecordView; readonly global: RecordView }
  return !local.deleted && global.deleted && local.version.join() === global.version.join()
}

function versionDigests(root: string): readonly string[] {
  const versions = join(root, '.stversions')
  if (!existsSync(versions)) return []
  return readdirSync(versions, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => digestOf(readFileSync(join(entry.parentPath, entry.name))))
}
