import { IgnoreRules } from '../../core/ignore.ts'
import type { Watcher } from '../watch.ts'
import { watchDirectories } from './watch-linux.ts'
import { watchRecursively } from './watch-recursive.ts'

export function createRealWatcher(): Watcher {
  return {
    watch(request, onEvent, onFailure) {
      const rules = new IgnoreRules(request.ignoreLines ?? [])
      const open = process.platform === 'linux' ? watchDirectories : watchRecursively
      return open(request.root, rules, onEvent, onFailure)
    },
  }
}
