import { IgnoreRules } from '../../../core/ignore/ignore.ts'
import type { Watcher } from '../../watch.ts'
import { queuedEventsMax, watchesMax } from './watch-limits.ts'
import { watchDirectories } from './watch-linux.ts'
import { QueueGauge } from './watch-queue.ts'
import { watchRecursively } from './watch-recursive.ts'

export function createNodeWatcher(): Watcher {
  const gauge = new QueueGauge(queuedEventsMax())
  const trees = new Set<{ readonly watchCount: number }>()
  return {
    async watch(request, onEvent, onFailure) {
      const rules = new IgnoreRules(request.ignoreLines ?? [])
      if (process.platform !== 'linux') return watchRecursively(request.root, rules, onEvent, onFailure)
      const tree = await watchDirectories(request.root, rules, gauge, { onEvent, onFailure })
      trees.add(tree)
      return {
        [Symbol.asyncDispose]: async () => {
          trees.delete(tree)
          await tree[Symbol.asyncDispose]()
        },
      }
    },
    budget() {
      const allowed = process.platform === 'linux' ? watchesMax() : undefined
      if (allowed === undefined) return undefined
      return { used: [...trees].reduce((sum, { watchCount }) => sum + watchCount, 0), allowed }
    },
  }
}
