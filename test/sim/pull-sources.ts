import type { Event } from '../../src/events/types.ts'
import { DOCS } from '../support/model.ts'
import type { SimDevice } from './device.ts'
import type { Reached } from './sometimes.ts'

/** Notes where the content of pulled files came from, by the counters of the devices. */
export class PullSources {
  readonly #reached: Reached
  /** Bytes pulled when an item started, by device and item. */
  readonly #before = new Map<string, number>()

  constructor(reached: Reached) {
    this.#reached = reached
  }

  onEvent(device: SimDevice, event: Event): void {
    if (event.type !== 'ItemStarted' && event.type !== 'ItemFinished') return
    const { item, action, type } = event.data
    if (type !== 'file' || action !== 'update') return
    const bytes = device.work?.all().get(DOCS)?.pulledBytes
    const total = bytes === undefined ? 0 : Object.values(bytes).reduce((sum, each) => sum + each, 0)
    const key = `${device.name} ${item}`
    if (event.type === 'ItemStarted') return void this.#before.set(key, total)
    if (bytes !== undefined && bytes.skipped > 0) this.#reached.note('a temporary file was reused')
    if (bytes !== undefined && bytes.local_origin > 0)
      this.#reached.note('blocks were taken from the old version of a file')
    if (bytes !== undefined && bytes.local_other > 0) this.#reached.note('blocks were taken from another file')
    if (event.data.error === null && this.#before.get(key) === total)
      this.#reached.note('a file was renamed instead of fetched')
  }
}
