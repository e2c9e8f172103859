import type { Attributes } from '../attributes.ts'
import type { World } from '../platform.ts'
import { RealBlockReader } from './block-reader.ts'
import { realClock } from './clock.ts'
import { DiskThreads } from './threads/disk-threads.ts'
import { realDisk } from './disk/disk.ts'
import { RealFileMaker } from './file-maker.ts'
import { createRealHasher } from './threads/hash.ts'
import { realHttpClient } from './net/http-client.ts'
import { createRealHttpServer } from './http/http.ts'
import { IdleCollection } from './idle-collection.ts'
import { realLines } from './disk/lines.ts'
import { realNet } from './net/net.ts'
import { PasswordThread } from './threads/password-thread.ts'
import { realPrograms } from './programs.ts'
import { realRandom } from './random.ts'
import { realSystem } from './system.ts'
import { createRealWalker } from './walk.ts'
import { createRealWatcher } from './disk/watch.ts'

/** Few folders want attributes: whoever does pays for the module then. */
const LATE_ATTRIBUTES: Attributes = {
  read: async (root, names, signal) => await (await import('./disk/attributes.ts')).realAttributes.read(root, names, signal),
  write: async (path, change) => await (await import('./disk/attributes.ts')).realAttributes.write(path, change),
}

/** The machine we run on. Threads start with the first work for them and end with the world. */
export function createRealWorld(): World & AsyncDisposable {
  const idleCollection = new IdleCollection({ hasThreads: () => threads.isStarted || passwords.isStarted })
  const onEnded = () => idleCollection.threadsEnded()
  const threads = new DiskThreads({ threads: diskThreadCount(), onEnded })
  const passwords = new PasswordThread({ onEnded })
  return {
    clock: realClock,
    random: realRandom,
    disk: realDisk,
    attributes: LATE_ATTRIBUTES,
    walker: createRealWalker(threads),
    hasher: createRealHasher(threads),
    fileMaker: new RealFileMaker(threads),
    blocks: new RealBlockReader(threads),
    watcher: createRealWatcher(),
    http: createRealHttpServer(),
    httpClient: realHttpClient,
    net: realNet,
    passwords,
    lines: realLines,
    programs: realPrograms,
    system: realSystem,
    async [Symbol.asyncDispose]() {
      idleCollection[Symbol.dispose]()
      await Promise.all([threads[Symbol.asyncDispose](), passwords[Symbol.asyncDispose]()])
    },
  }
}

/** Every core hashes: the main thread mostly waits, and a scan is over sooner. */
function diskThreadCount(): number {
  return Math.max(1, realSystem.cpuCount)
}
