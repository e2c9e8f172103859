import { isInvalid, type FileHead } from '../../core/records/file-info.ts'
import type { DeviceId } from '../../core/ids.ts'
import { isNeededByRemote } from '../../core/records/need.ts'
import { compareNames } from '../../core/paths.ts'
import { Tally } from './counts.ts'
import type { IndexOwner } from '../types.ts'

/** What a device needs among the names up to `upTo`. */
export interface NeedCount {
  readonly tally: Tally
  upTo: string
}

/**
 * What other devices need. Of each device that has records, the global ones that it has are counted, with the
 * deletions that it lacks: a change of a name then costs as much as it has records, however many devices there are.
 * What a device needs is the rest, and of a device without records everything.
 *
 * Only the index of an earlier release has no such counts: at the first query the whole of it is read. Names that
 * change before this count has reached them are counted when it does.
 */
export class NeedTallies {
  readonly #having: Map<DeviceId, Tally>
  readonly #counting: Map<DeviceId, NeedCount>

  constructor(
    having: ReadonlyMap<DeviceId, Tally> = new Map(),
    counting: ReadonlyMap<DeviceId, NeedCount> = new Map(),
  ) {
    this.#having = new Map(having)
    this.#counting = new Map(counting)
  }

  clone(): NeedTallies {
    const copy = new NeedTallies()
    for (const [device, tally] of this.#having) copy.#having.set(device, tally.clone())
    for (const [device, { tally, upTo }] of this.#counting) copy.#counting.set(device, { tally: tally.clone(), upTo })
    return copy
  }

  /** A device has no records yet. */
  begin(device: DeviceId): void {
    this.set(device, new Tally())
  }

  /** A device has no records any more. */
  drop(device: DeviceId): void {
    this.#having.delete(device)
    this.#counting.delete(device)
  }

  /** Sets what a device with records has. */
  set(device: DeviceId, having: Tally): void {
    this.#having.set(device, having)
    this.#counting.delete(device)
  }

  /** What a device with records has; undefined: not counted. */
  having(device: DeviceId): Tally | undefined {
    return this.#having.get(device)
  }

  /** The count of a device whose need is not known. */
  counting(device: DeviceId): NeedCount {
    const begun = this.#counting.get(device) ?? { tally: new Tally(), upTo: '' }
    this.#counting.set(device, begun)
    return begun
  }

  get isCounting(): boolean {
    return this.#counting.size > 0
  }

  /** A name has this global record (`sign` 1), or had it until now; `record` is that of another device. */
  count(global: FileHead, owner: IndexOwner, record: FileHead, sign: 1 | -1): void {
    const having = owner === 'local' ? undefined : this.#having.get(owner)
    if (having === undefined || isInvalid(global)) return
    // Needed deletions are counted, and of live items those that are not needed.
    if (global.deleted === isNeededByRemote(record, global)) having.add(global, sign)
  }

  /** The same for the counts that are not complete; `recordOf` returns a device's record then. */
  countLacking(global: FileHead, recordOf: (device: DeviceId) => FileHead | undefined, sign: 1 | -1): void {
    for (const [device, { tally, upTo }] of this.#counting) {
      if (compareNames(global.name, upTo) > 0) continue
      if (isNeededByRemote(recordOf(device), global)) tally.add(global, sign)
    }
  }
}
