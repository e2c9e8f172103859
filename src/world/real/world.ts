import type { World } from '../world.ts'
import { realClock } from './clock.ts'
import { realDisk } from './disk.ts'
import { createRealHasher } from './hash.ts'
import { createRealHttpServer } from './http.ts'
import { realLines } from './lines.ts'
import { realNet } from './net.ts'
import { realRandom } from './random.ts'
import { realSystem } from './system.ts'
import { createRealWalker } from './walk.ts'
import { createRealWatcher } from './watch.ts'

/** The machine we run on. Threads start with the first work for them and end with the world. */
export function createRealWorld(): World & AsyncDisposable {
  const walker = createRealWalker()
  const hasher = createRealHasher({ threads: hashThreadCount() })
  return {
    clock: realClock,
    random: realRandom,
    disk: realDisk,
    walker,
    hasher,
    watcher: createRealWatcher(),
    http: createRealHttpServer(),
    net: realNet,
    lines: realLines,
    system: realSystem,
    async [Symbol.asyncDispose]() {
      await Promise.all([walker[Symbol.asyncDispose](), hasher[Symbol.asyncDispose]()])
    },
  }
}

/** Every core hashes: the main thread mostly waits, and a scan is over sooner. */
function hashThreadCount(): number {
  return Math.max(1, realSystem.cpuCount)
}
