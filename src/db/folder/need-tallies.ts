import type { FileHead } from '../../core/records/file-info.ts'
import type { DeviceId } from '../../core/ids.ts'
import { isNeededByRemote } from '../../core/records/need.ts'
import { compareNames } from '../../core/paths.ts'
import { Tally } from './counts.ts'

/** Somebody can ask for any number of devices; of these many the answers are kept. */
const DEVICES_MAX = 64

/** What a device lacks among the names up to `upTo`; undefined: among all. */
export interface NeedTally {
  readonly tally: Tally
  upTo: string | undefined
}

/**
 * What other devices lack, for those that somebody asked about. To find out takes a look at all of the index; from then
 * on every change of a name is counted, so that the next answer costs nothing. Names that were not looked at yet when
 * they change are counted when it is their turn.
 */
export class NeedTallies {
  readonly #tallies: Map<DeviceId, NeedTally>

  constructor(tallies: ReadonlyMap<DeviceId, NeedTally> = new Map()) {
    this.#tallies = new Map(tallies)
  }

  clone(): NeedTallies {
    return new NeedTallies(
      new Map([...this.#tallies].map(([device, { tally, upTo }]) => [device, { tally: tally.clone(), upTo }])),
    )
  }

  /** Begins to count where nobody has asked before. */
  of(device: DeviceId): NeedTally {
    const known = this.#tallies.get(device)
    if (known !== undefined) return known
    for (const oldest of this.#tallies.keys()) {
      if (this.#tallies.size < DEVICES_MAX) break
      this.#tallies.delete(oldest)
    }
    const begun: NeedTally = { tally: new Tally(), upTo: '' }
    this.#tallies.set(device, begun)
    return begun
  }

  /** The name has this global record (`sign` 1), or had it until now; `recordOf` tells what a device has of it then. */
  count(global: FileHead, recordOf: (device: DeviceId) => FileHead | undefined, sign: 1 | -1): void {
    for (const [device, { tally, upTo }] of this.#tallies) {
      if (upTo !== undefined && compareNames(global.name, upTo) > 0) continue
      if (isNeededByRemote(recordOf(device), global)) tally.add(global, sign)
    }
  }
}
