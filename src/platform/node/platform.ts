import { detach } from '../../core/errors.ts'
import type { Attributes } from '../attributes.ts'
import type { Platform } from '../platform.ts'
import { NodeBlockReader } from './block-reader.ts'
import { nodeClock } from './clock.ts'
import { DiskThreads } from './threads/disk-threads.ts'
import { nodeDisk } from './disk/disk.ts'
import { NodeFileMaker } from './file-maker.ts'
import { nodeFolderKeys } from './folder-keys.ts'
import { createNodeHasher } from './threads/hash.ts'
import { dialDirectory } from './net/directory.ts'
import { nodeHttpClient } from './net/http-client.ts'
import { createNodeHttpServer } from './http/http.ts'
import { IdleCollection } from './idle-collection.ts'
import { posix } from './native/posix.ts'
import { PageDrops } from './page-drops.ts'
import { nodeLines } from './disk/lines.ts'
import { nodeNet } from './net/net.ts'
import { PasswordThread } from './threads/password-thread.ts'
import { nodePrograms } from './programs.ts'
import { nodeUdp } from './net/udp.ts'
import { nodeRandom } from './random.ts'
import { nodeSystem } from './system.ts'
import { createNodeWalker } from './walk.ts'
import { createNodeWatcher } from './disk/watch.ts'

/** Loaded on first use: few folders synchronize attributes. */
const LATE_ATTRIBUTES: Attributes = {
  read: async (root, names, signal) =>
    await (await import('./disk/attributes.ts')).nodeAttributes.read(root, names, signal),
  write: async (path, change) => await (await import('./disk/attributes.ts')).nodeAttributes.write(path, change),
}

/** The real machine. Threads start on demand and end with the platform. */
export function createNodePlatform(): Platform & AsyncDisposable {
  const dropPages = async () => await posix()?.dropProgramPages()
  const pageDrops = new PageDrops({ drop: dropPages })
  const idleCollection = new IdleCollection({
    hasThreads: () => threads.isStarted || passwords.isStarted,
    trim: async () => await posix()?.trimMemory(),
    dropPages,
    onCollected: () => pageDrops.worked(),
  })
  const onEnded = () => idleCollection.threadsEnded()
  const threads = new DiskThreads({ threads: diskThreadCount(), onReport: () => pageDrops.worked(), onEnded })
  const passwords = new PasswordThread({ onEnded })
  return {
    clock: nodeClock,
    random: nodeRandom,
    disk: nodeDisk,
    attributes: LATE_ATTRIBUTES,
    walker: createNodeWalker(threads),
    hasher: createNodeHasher(threads),
    fileMaker: new NodeFileMaker(threads),
    blocks: new NodeBlockReader(threads),
    watcher: createNodeWatcher(),
    http: createNodeHttpServer(),
    httpClient: nodeHttpClient,
    dialDirectory,
    net: nodeNet,
    udp: nodeUdp,
    passwords,
    folderKeys: nodeFolderKeys,
    lines: nodeLines,
    programs: nodePrograms,
    system: nodeSystem,
    keepCompiled: () => detach(import('./run-script.ts').then(({ keepCompiled }) => keepCompiled())),
    async [Symbol.asyncDispose]() {
      idleCollection[Symbol.dispose]()
      await Promise.all([threads[Symbol.asyncDispose](), passwords[Symbol.asyncDispose]()])
    },
  }
}

/** One thread per core: the main thread is mostly idle during a scan. */
function diskThreadCount(): number {
  return Math.max(1, nodeSystem.cpuCount)
}
