import { conflictOriginal } from '../../core/paths.ts'
import { deletionOf } from '../../core/records/change.ts'
import type { FileHead, FileInfo } from '../../core/records/file-info.ts'
import { hasSameContent } from '../../core/records/plan.ts'
import { compareVersions } from '../../core/records/version-vector.ts'
import { diskReason } from '../../platform/files/disk-reason.ts'
import { isItemFailure } from '../../platform/files/item-failed.ts'
import { isMergeable, type Merges, type MergesDeps } from './merges.ts'
import type { PullParts } from './pull-parts.ts'

interface SettleParts extends MergesDeps, Pick<PullParts, 'folderLock' | 'ignore' | 'index'> {
  readonly merges: Merges
}

/**
 * Removes conflict copies that have the content of their file, whoever made them. Where the folder merges, one whose
 * base is known is merged into its file: a device without merges has made it. What fails stays as it is.
 */
export async function settleCopies(parts: SettleParts, signal: AbortSignal): Promise<void> {
  const { folder, folderLock, log, merging } = parts
  for (const name of merging.candidates.take()) {
    signal.throwIfAborted()
    using _lock = await folderLock.shared(signal)
    try {
      await settleCopy(parts, name)
    } catch (error) {
      if (signal.aborted || !isItemFailure(error)) throw error
      log.debug(() => `folder ${folder.id}: ${JSON.stringify(name)} stays: ${diskReason(error)}`)
    }
  }
}

async function settleCopy(parts: SettleParts, name: string): Promise<void> {
  const { folder, log, tree } = parts
  const original = conflictOriginal(name)
  const [copy, file] = [await settledRecord(parts, name), await settledRecord(parts, original)]
  if (copy === undefined || file === undefined) return
  const what = `folder ${folder.id}: conflict copy ${JSON.stringify(name)}`
  if (hasSameContent(copy, file)) {
    await tree.check(original, file)
    await tree.discard(name, copy)
    recordRemoval(parts, copy)
    log.info(`${what} is removed: it has the content of its file`)
  } else if (await isMerged(parts, copy, file)) {
    await tree.takeChanged()?.() // the merged file is durable before the copy goes
    await tree.remove(name, copy)
    recordRemoval(parts, copy)
    log.info(`${what} is merged into its file`)
  }
}

/** Our record of a file that is the winner: while another version is awaited, nothing is changed. */
async function settledRecord({ ignore, index }: SettleParts, name: string): Promise<FileInfo | undefined> {
  const { local, global } = await index.records.both(name)
  if (local === undefined || global === undefined || local.deleted || local.type !== 'file') return undefined
  if (ignore.match(name).ignored || compareVersions(local.version, global.version) !== 'equal') return undefined
  return local.localFlags === 0 ? local : undefined
}

async function isMerged({ merges, merging }: SettleParts, copy: FileInfo, file: FileInfo): Promise<boolean> {
  if (!merges.isOn || !isMergeable(copy) || !isMergeable(file)) return false
  const base = await merging.bases.ofCopy(file.name, copy)
  if (base === undefined) return false
  const [left, right] = [await merges.read(file), await merges.read(copy)]
  if (left === undefined || right === undefined) return false
  const result = await merges.contents({ base, left, right }, file.name)
  if (!('content' in result)) return false
  const time = copy.modifiedS > file.modifiedS ? copy : file
  const { modifiedS, modifiedNs } = time
  if (Buffer.compare(result.content, left) !== 0)
    await merges.put({ local: file, global: { ...file, modifiedS, modifiedNs } }, result.content)
  return true
}

function recordRemoval({ clock, counts, records, tree }: SettleParts, copy: FileHead): void {
  const nowS = Math.floor(clock.nowMs() / 1_000)
  const ignorePerms = tree.ignoresPermissions
  records.addMade(deletionOf(copy, { nowS, ...counts.counting, ignorePerms, localFlags: 0 }), copy)
}
