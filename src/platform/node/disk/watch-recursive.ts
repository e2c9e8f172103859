import { lstat, realpath } from 'node:fs/promises'
import { watch } from 'node:fs'
import { sep } from 'node:path'
import type { IgnoreRules } from '../../../core/ignore/ignore.ts'
import { isInternal, joinPath } from '../../../core/paths.ts'
import type { WatchEvent } from '../../watch.ts'

/** For systems that watch a whole tree by themselves. */
export async function watchRecursively(
  root: string,
  rules: IgnoreRules,
  onEvent: (event: WatchEvent) => void,
  onFailure: (error: Error) => void,
): Promise<AsyncDisposable> {
  const real = await realpath(root)
  const watcher = watch(real, { recursive: true, persistent: false }, (_, name) => {
    if (name === null) return onEvent({ kind: 'overflow' })
    const path = name.replaceAll(sep, '/')
    if (isInternal(path) || rules.match(path.normalize('NFC')).ignored) return
    lstat(joinPath(real, path)).then(
      () => onEvent({ kind: 'changed', path }),
      () => onEvent({ kind: 'removed', path }),
    )
  })
  watcher.on('error', onFailure)
  return { [Symbol.asyncDispose]: async () => watcher.close() }
}
