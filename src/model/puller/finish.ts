import type { FileInfo } from '../../core/records/file-info.ts'
import { adopted, type PullContext } from './context.ts'
import { planAgain } from './plan-again.ts'
import type { TempFile } from './temp-file.ts'

/** Puts a complete temporary file in the place of its target, and records it. */
export async function finishFile(
  context: PullContext,
  global: FileInfo,
  temp: TempFile,
  signal: AbortSignal,
): Promise<void> {
  // Syncing a large file takes long, so it is done before the lock is taken, which would block scans.
  if (!context.folder.disableFsync && global.sizeBytes > global.blockSizeBytes) await temp.file.sync()
  using _lock = await context.folderLock.shared(signal)
  const plan = await planAgain(context, global)
  if (plan === undefined) return await context.tree.temporaries.remove(global.name)
  const state = await context.tree.put(temp, { global, ...plan })
  if (state !== undefined) context.records.add(adopted(global, state))
}
