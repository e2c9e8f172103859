import { shortIdText } from '../../core/device-id.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { compactTime } from '../../core/formats/local-time.ts'
import { besideName, conflictOriginal, isCanonical, isConflictName, isReserved } from '../../core/paths.ts'
import { contentHash } from '../../core/records/block-range.ts'
import { blocksHashOf, blockSizeFor, hashBlocks } from '../../core/records/blocks.ts'
import type { FileHead, FileInfo } from '../../core/records/file-info.ts'
import { diskReason } from '../../platform/files/disk-reason.ts'
import { isItemFailure, itemFailed } from '../../platform/files/item-failed.ts'
import type { FileContent } from '../tree/content.ts'
import type { ConflictChoice, ResolvedConflict, ShownSides } from '../types.ts'
import type { PullParts } from './pull-parts.ts'

interface ResolveParts extends Pick<PullParts, 'clock' | 'ignore' | 'index' | 'tree'> {
  scanLater(name: string): void
}

/** A conflict copy that is here, and the file that it is a copy of. */
interface Conflict {
  readonly copy: FileHead
  readonly original: string
  /** Our record of the name of the file. */
  readonly before: FileHead | undefined
  /** The file that has this name here. */
  readonly file: FileHead | undefined
}

/** Names tried for a copy that is kept beside its file. */
const NAMES_TRIED_MAX = 100

/**
 * Resolves conflicts by the names of the copies. The caller must hold the lock exclusively, and have scanned the names
 * where the choice has what was shown. The map holds a reason for each that is unchanged.
 */
export async function resolveConflicts(
  parts: ResolveParts,
  names: Iterable<string>,
  choice: ConflictChoice,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const failures = new Map<string, string>()
  const resolved = new Set<string>()
  const wanted = new Set(names)
  for (const [name, shown] of choice.shown ?? []) {
    signal.throwIfAborted()
    if (wanted.has(name)) await checkShown(parts, name, shown)
  }
  for (const name of wanted) {
    signal.throwIfAborted()
    try {
      const original = originalOf(name)
      const isOther = resolved.has(original) && (choice.keep === 'copy' || choice.keep === 'merged')
      if (isOther) throw itemFailed('another copy of this file was kept')
      await resolve(parts, name, original, choice)
      resolved.add(original)
    } catch (error) {
      if (!isItemFailure(error)) throw error
      failures.set(name, diskReason(error))
    }
  }
  return failures
}

/** Rejects names that are no conflict copies, or would reach outside the folder or into its internal files. */
function originalOf(copy: string): string {
  const original = conflictOriginal(copy)
  const isUsable = (name: string) => isCanonical(name) && !isReserved(name)
  if (!isConflictName(copy) || !isUsable(copy) || !isUsable(original)) throw itemFailed('this is no conflict copy')
  return original
}

/** Rejects with `refused` where one of the two files is not the one that was shown. */
async function checkShown({ index, tree }: ResolveParts, copy: string, shown: ShownSides): Promise<void> {
  const sides = [
    [copy, shown.right],
    [conflictOriginal(copy), shown.left],
  ] as const
  for (const [name, hash] of sides) {
    const record = isCanonical(name) ? await index.records.head('local', name) : undefined
    let isSame = contentHash(record) === hash
    try {
      if (isSame && hash !== '') isSame = (await tree.check(name, record)) !== undefined
    } catch (error) {
      if (!isItemFailure(error)) throw error
      isSame = false
    }
    if (isSame) continue
    const reason = `${name}: changed since it was shown; nothing was resolved`
    throw new TwinfoldError('refused', reason, { detail: 'modified' })
  }
}

/** What is not kept becomes an old version, or is removed if the user has agreed to that. */
async function resolve(parts: ResolveParts, name: string, original: string, choice: ConflictChoice): Promise<void> {
  const { index, scanLater, tree } = parts
  const { keep, mayRemove } = choice
  const copy = await index.records.head('local', name)
  const item = await tree.check(name, copy)
  if (copy === undefined || item === undefined) throw itemFailed('the conflict copy is gone')
  if (item.type !== 'file') throw itemFailed('this is no file')
  const before = await index.records.head('local', original)
  const replaced = keep === 'copy' || keep === 'merged' ? await tree.check(original, before) : undefined
  if (replaced !== undefined && replaced.type !== 'file') throw itemFailed('something else has the name of the file')
  const isLost = keep === 'both' ? false : keep !== 'copy' || replaced !== undefined
  if (isLost && !tree.keepsVersions && !mayRemove) throw notAgreed()
  const file = replaced === undefined ? undefined : before
  const conflict = { copy, original, before, file }
  let made: ResolvedConflict['made']
  if (keep === 'original') await tree.remove(name, copy)
  else if (keep === 'copy') await tree.putCopy(copy, original, replaced)
  else if (keep === 'both') made = await putBeside(parts, conflict, choice)
  else made = await putMerged(parts, conflict, choice.merged)
  scanLater(name)
  if (made !== undefined || keep === 'copy') scanLater(made?.name ?? original)
  await tree.takeChanged()?.()
  if (isLost && !tree.keepsVersions) return
  choice.onResolved?.({ keep, copy, original, replaced: file, ...(made !== undefined && { made }) })
}

function notAgreed(): Error {
  return itemFailed('the folder keeps no old versions: the other version would be lost')
}

/** Renames the copy to an ordinary name that no device uses. */
async function putBeside(
  { ignore, index, tree }: ResolveParts,
  { copy, original }: Conflict,
  { deviceName }: ConflictChoice,
): Promise<ResolvedConflict['made']> {
  const { blocksHash, modifiedBy, modifiedS, sizeBytes } = copy
  const [day = ''] = compactTime(modifiedS * 1_000).split('-')
  const date = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`
  const device = deviceName?.(modifiedBy) ?? ''
  const label = `${device === '' ? shortIdText(modifiedBy) : device} ${date}`
  for (let nth = 1; nth <= NAMES_TRIED_MAX; nth++) {
    const name = besideName(original, label, nth)
    if (!isCanonical(name) || isReserved(name) || isConflictName(name)) throw itemFailed('its name cannot be used')
    if (ignore.match(name).ignored) throw itemFailed(`it would be named ${name}, which is ignored`)
    const { global, local } = await index.records.both(name)
    if (global?.deleted === false || (await tree.check(name, local).catch(() => true)) !== undefined) continue
    await tree.move(copy, { global: { ...copy, name, blockHashes: undefined }, local, saveOurs: false })
    return { name, sizeBytes, blocksHash }
  }
  throw itemFailed('all names beside the file are in use')
}

/** Puts the merged content in the place of the file, with its mode, and removes the copy. */
async function putMerged(
  { clock, tree }: ResolveParts,
  { before, copy, file, original }: Conflict,
  data: Uint8Array | undefined,
): Promise<ResolvedConflict['made']> {
  if (data === undefined) throw itemFailed('the merged content is missing')
  const { temporaries } = tree
  const nowMs = clock.nowMs()
  const blockSizeBytes = blockSizeFor(data.length)
  const blockHashes = hashBlocks(data, blockSizeBytes)
  const made: FileInfo = {
    ...(file ?? copy),
    name: original,
    sizeBytes: data.length,
    modifiedS: Math.floor(nowMs / 1_000),
    modifiedNs: (nowMs % 1_000) * 1_000_000,
    blockSizeBytes,
    blockHashes,
    blocksHash: blocksHashOf(blockHashes),
  }
  await tree.prepare(original, before)
  await temporaries.removeIfThere(original)
  await using opened = await temporaries.create(made)
  const content: FileContent = {
    kind: 'file',
    file: opened,
    isFresh: true,
    trailerBytes: undefined,
    sealed: undefined,
    close: () => opened.close(),
  }
  try {
    await opened.write(data, 0)
    await tree.put(content, { global: made, local: before, saveOurs: false })
  } catch (error) {
    await temporaries.discard(original, content).catch(() => {}) // the first error is reported
    throw error
  }
  await tree.takeChanged()?.() // before the copy is removed
  await tree.remove(copy.name, copy)
  return made
}
