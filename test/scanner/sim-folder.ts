import { IgnoreRules } from '../../src/core/ignore/ignore.ts'
import type { ShortId } from '../../src/core/ids.ts'
import { scanScope } from '../../src/core/paths.ts'
import { scanFolder } from '../../src/scanner/scanner.ts'
import type { ScanDeps, ScanRequest, ScanResult } from '../../src/scanner/types.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimDisk, type SimDiskOptions } from '../../src/platform/sim/disk.ts'
import { SimHasher } from '../../src/platform/sim/hasher.ts'
import { SimWalker } from '../../src/platform/sim/walker.ts'
import { quietLogger } from '../support/logger.ts'
import { MemoryIndex } from './memory-index.ts'

export const LOCAL_SHORT_ID = 7n as ShortId
export const OTHER_SHORT_ID = 9n as ShortId
const NEVER = new AbortController().signal

/** A folder on a simulated disk with an index in memory. */
export class SimFolder {
  readonly clock = new SimClock()
  readonly disk: SimDisk
  readonly index = new MemoryIndex()
  readonly deps: ScanDeps
  readonly progress: object[] = []
  healthy = true

  constructor(options: SimDiskOptions = {}) {
    this.disk = new SimDisk(this.clock, options)
    this.disk.put('/f/.stfolder/marker', '')
    this.deps = {
      walker: new SimWalker(this.disk),
      hasher: new SimHasher(this.disk),
      disk: this.disk,
      clock: this.clock,
      index: this.index,
      log: quietLogger('scanner'),
      checkHealth: async () => {
        if (!this.healthy) throw new Error('folder marker missing')
      },
      onBatch: () => {},
      onProgress: (progress) => void this.progress.push(progress),
    }
  }

  put(name: string, content = name): void {
    this.disk.put(`/f/${name}`, content)
  }

  scan(options: Partial<ScanRequest> & { lines?: readonly string[] } = {}, signal = NEVER): Promise<ScanResult> {
    const { lines, ...rest } = options
    return scanFolder(
      this.deps,
      {
        root: '/f',
        ignore: new IgnoreRules(lines ?? []),
        ignorePerms: false,
        modTimeWindowMs: 0,
        autoNormalize: true,
        ownShortId: LOCAL_SHORT_ID,
        receiveOnly: false,
        keepTemporariesMs: 24 * 3_600_000,
        progressIntervalMs: 0,
        hashers: 0,
        ...rest,
        subs: scanScope(rest.subs ?? []),
      },
      signal,
    )
  }
}
