import type { FolderConfig } from '../../src/core/config/config.ts'
import type { SimDiskOptions } from '../../src/platform/sim/disk.ts'
import { pick, type SimRandom } from '../../src/platform/sim/random.ts'
import type { SimDevice } from './device.ts'
import type { Workload } from './user.ts'

const BYZANTINE: ReadonlySet<Workload> = new Set(['byzantine', 'deceptive'])

/** Random devices, folders, disks and topology. */
export class Setup {
  readonly #random: SimRandom
  /** Each device has only its neighbours configured. */
  readonly isChain: boolean
  /** Of the folder on each device. */
  readonly types: readonly FolderConfig['type'][]

  constructor(random: SimRandom, workload: Workload) {
    this.#random = random
    // Beside a byzantine device the honest ones are connected with each other.
    this.isChain = !BYZANTINE.has(workload) && random.stream('topology').chance(0.3)
    this.types = this.#typesFor(workload)
  }

  #typesFor(workload: Workload): readonly FolderConfig['type'][] {
    if (workload === 'mixed') return this.#folderTypes(pick(this.#random, [2, 2, 2, 2, 3, 3, 3, 4, 5]))
    if (workload === 'untrusted' || workload === 'deceptive') return ['sendreceive', 'receiveencrypted', 'sendreceive']
    return Array.from({ length: workload === 'byzantine' ? 4 : 5 }, () => 'sendreceive' as const)
  }

  /** Mostly send-receive. At most one send-only folder, as two of them never converge. */
  #folderTypes(count: number): readonly FolderConfig['type'][] {
    const random = this.#random.stream('types')
    const types = Array.from({ length: count }, () => 'sendreceive' as FolderConfig['type'])
    if (this.isChain || random.chance(0.6)) return types
    if (random.chance(0.6)) types[count - 1] = 'receiveonly'
    if (count > 2 && random.chance(0.6)) types[1] = 'sendonly'
    return types
  }

  neighboursOf(device: SimDevice, all: readonly SimDevice[]): readonly SimDevice[] {
    const at = all.indexOf(device)
    return this.isChain ? all.filter((_, i) => Math.abs(i - at) === 1) : all.filter((other) => other !== device)
  }

  disk(random: SimRandom): SimDiskOptions {
    return {
      ...(random.chance(0.15) && { caseInsensitive: true }),
      ...(random.chance(0.15) && { modifiedStepNs: 2_000_000_000n }),
      ...(random.chance(0.1) && { exchanges: false }),
      ...(random.chance(0.2) && { shortReads: random.stream('short reads') }),
    }
  }

  folder(random: SimRandom): Partial<FolderConfig> {
    const versioning = { type: 'simple', params: { keep: '5' }, cleanupIntervalS: 3_600, fsPath: '', fsType: 'basic' }
    return {
      fsWatcherEnabled: random.chance(0.5),
      rescanIntervalS: 30 + random.int(60),
      ...(random.chance(0.2) && { versioning }),
    }
  }
}
