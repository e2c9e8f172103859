import type { FileHead } from './file-info.ts'

/** Whether a scan that replaces our record of a name found its content gone from this disk. */
export function isContentLost(old: FileHead, next: FileHead): boolean {
  if (old.deleted || old.type !== 'file' || old.sizeBytes === 0) return false
  if (next.deleted || next.type !== 'file') return true
  // What is ignored now is still there, and has no new content.
  if (old.blocksHash === undefined || next.blocksHash === undefined) return false
  return Buffer.compare(old.blocksHash, next.blocksHash) !== 0
}
