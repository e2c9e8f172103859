import type { FolderConfig } from '../../src/core/config/config.ts'
import type { ConflictRules } from '../../src/core/records/need.ts'
import type { SimDiskOptions } from '../../src/platform/sim/disk.ts'
import { pick, type SimRandom } from '../../src/platform/sim/random.ts'
import type { SimDevice } from './device.ts'
import type { Workload } from './user.ts'

/** Two programs agree only where a device of ours has the records of both. */
const CONNECTED: ReadonlySet<Workload> = new Set(['byzantine', 'deceptive', 'programs'])

const SYNCTHING_1: ConflictRules = { filesWin: true, settlesContested: false }
const SYNCTHING_2: ConflictRules = { filesWin: false, settlesContested: false }

/** Random devices, folders, disks and topology. */
export class Setup {
  readonly #random: SimRandom
  /** Each device has only its neighbours configured. */
  readonly isChain: boolean
  /** Of the folder on each device. */
  readonly types: readonly FolderConfig['type'][]
  /** By which each device decides; undefined: by ours. */
  readonly rules: readonly (ConflictRules | undefined)[]

  constructor(random: SimRandom, workload: Workload) {
    this.#random = random
    // Beside a byzantine device the honest ones are connected with each other.
    this.isChain = !CONNECTED.has(workload) && random.stream('topology').chance(0.3)
    this.types = this.#typesFor(workload)
    this.rules = workload === 'programs' ? this.types.map((_, place) => this.#rulesOf(place)) : []
  }

  #typesFor(workload: Workload): readonly FolderConfig['type'][] {
    if (workload === 'mixed') return this.#folderTypes(pick(this.#random, [2, 2, 2, 2, 3, 3, 3, 4, 5]))
    if (workload === 'untrusted' || workload === 'deceptive') return ['sendreceive', 'receiveencrypted', 'sendreceive']
    const count = workload === 'programs' ? 2 + this.#random.int(3) : workload === 'byzantine' ? 4 : 5
    return Array.from({ length: count }, () => 'sendreceive' as const)
  }

  /** One device at least is ours. */
  #rulesOf(place: number): ConflictRules | undefined {
    if (place === 0) return undefined
    return pick(this.#random.stream(`program ${place}`), [undefined, SYNCTHING_1, SYNCTHING_2, SYNCTHING_2])
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
