import type { DatabaseSync } from 'node:sqlite'
import type { DeviceId } from '../../core/ids.ts'
import { readMetaBelow, writeMeta } from '../sqlite/meta.ts'
import { REMOTE_ID_KEY } from './meta-keys.ts'

/** The index IDs that other devices announced. Read once: the cluster config for every device has them all. */
export class RemoteIndexIds {
  readonly #database: DatabaseSync
  readonly #ids: Map<DeviceId, bigint>

  constructor(database: DatabaseSync) {
    this.#database = database
    const stored = readMetaBelow(database, REMOTE_ID_KEY)
    this.#ids = new Map(stored.map(([device, id]) => [device as DeviceId, BigInt(`0x${id}`)])) // as `set` wrote it
  }

  get all(): ReadonlyMap<DeviceId, bigint> {
    return this.#ids
  }

  set(device: DeviceId, id: bigint): void {
    writeMeta(this.#database, REMOTE_ID_KEY + device, id.toString(16))
    this.#ids.set(device, id)
  }
}
