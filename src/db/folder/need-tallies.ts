import type { FileHead } from '../../core/records/file-info.ts'
import type { DeviceId } from '../../core/ids.ts'
import { isNeededByRemote } from '../../core/records/need.ts'
import { compareNames } from '../../core/paths.ts'
import { Tally } from './counts.ts'

/** Queries can name any number of devices; the tallies of so many are kept. */
const DEVICES_MAX = 64

/** What a device needs among the names up to `upTo`; undefined: among all. */
export interface NeedTally {
  readonly tally: Tally
  upTo: string | undefined
}

/**
 * What other devices need, for each device that was queried. The first count reads the whole index; from then on every
 * change of a name updates the tally, so that the next query costs nothing. Names that change before the first count
 * has read them are counted when it reads them.
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

  /** The tally of a device; a new one at its first query. */
  of(device: DeviceId): NeedTally {
    const existing = this.#tallies.get(device)
    if (existing !== undefined) return existing
    for (const oldest of this.#tallies.keys()) {
      if (this.#tallies.size < DEVICES_MAX) break
      this.#tallies.delete(oldest)
    }
    const begun: NeedTally = { tally: new Tally(), upTo: '' }
    this.#tallies.set(device, begun)
    return begun
  }

  /** The name has this global record (`sign` 1), or had it until now; `recordOf` returns a device's record then. */
  count(global: FileHead, recordOf: (device: DeviceId) => FileHead | undefined, sign: 1 | -1): void {
    for (const [device, { tally, upTo }] of this.#tallies) {
      if (upTo !== undefined && compareNames(global.name, upTo) > 0) continue
      if (isNeededByRemote(recordOf(device), global)) tally.add(global, sign)
    }
  }
}
