import { IgnoreRules } from '../../../core/ignore/ignore.ts'
import type { Watcher } from '../../watch.ts'
import { queuedEventsMax } from './watch-limits.ts'
import { watchDirectories } from './watch-linux.ts'
import { QueueGauge } from './watch-queue.ts'
import { watchRecursively } from './watch-recursive.ts'

export function createNodeWatcher(): Watcher {
  const gauge = new QueueGauge(queuedEventsMax())
  return {
    async watch(request, onEvent, onFailure) {
      const rules = new IgnoreRules(request.ignoreLines ?? [])
      if (process.platform !== 'linux') return watchRecursively(request.root, rules, onEvent, onFailure)
      return watchDirectories(request.root, rules, gauge, { onEvent, onFailure })
    },
  }
}
