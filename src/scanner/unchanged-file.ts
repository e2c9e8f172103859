import { isChanged } from '../core/records/change.ts'
import { diskStampOf } from '../core/records/disk-stamp.ts'
import { isInvalid, type FileHead } from '../core/records/file-info.ts'
import type { ScannedItem } from './attributes.ts'
import { RecordRules } from './record-rules.ts'
import type { ScanDeps, ScanRequest } from './types.ts'

type Deps = Pick<ScanDeps, 'clock' | 'index' | 'walker'>

/**
 * Whether the only path of a scan is a file that is as its record says. Programs and watchers often name a file that
 * has been scanned: without a walk that takes a fifth less CPU.
 */
export async function isUnchangedFile({ clock, index, walker }: Deps, request: ScanRequest): Promise<boolean> {
  const [name, ...others] = request.subs
  if (name === undefined || others.length > 0 || needsMore(request)) return false
  const items = walker.findFile(name, { root: request.root, ignoreLines: request.ignore.lines })
  if (items === undefined) return false
  const parents = items.slice(0, -1)
  const parentNames = parents.map((parent) => parent.name)
  const records = await index.heads('local', parentNames)
  if (!parents.every((parent, at) => isKnownParent(parent, records[at]))) return false
  // A record below it is of a directory that was there before: the walk finds that it is gone.
  const [record, ...below] = await index.page('local', { within: name, afterName: '', limit: 2 })
  const item = items.at(-1)
  if (item === undefined || record === undefined || record.name !== name || below.length > 0) return false
  const { compare } = new RecordRules(request, clock)
  return !record.deleted && !isChanged(record, item, compare) && hasSameStamp(item, record)
}

/** What is compared besides the state of the file, or files that have no record. */
function needsMore({ attributes, kept, ownership }: ScanRequest): boolean {
  return attributes !== undefined || ownership !== undefined || (kept !== undefined && kept.count > 0)
}

/** Whether the index contains a directory above what is scanned. */
export function isKnownParent(item: ScannedItem, record: FileHead | undefined): boolean {
  return record !== undefined && !record.deleted && record.type === item.type && !isInvalid(record)
}

/** Whether nothing shows that an item of unchanged size and modification time has other content. */
export function hasSameStamp(item: ScannedItem, record: FileHead): boolean {
  if (record.encrypted !== undefined) return true // hashing it would show nothing
  const stamp = item.type === 'file' ? diskStampOf(item) : undefined
  return stamp === undefined || stamp === record.diskStamp
}
