import type { IndexWork } from '../types.ts'

/** Counts the queries and the changes of one database. */
export class WorkMeter implements IndexWork {
  queries = 0
  queryMs = 0
  changes = 0
  changeMs = 0
  records = 0
  #isChange = false

  /** The work that runs has stored this many records. */
  committed(records: number): void {
    this.records += records
    this.#isChange = true
  }

  ran(ms: number): void {
    if (this.#isChange) {
      this.changes++
      this.changeMs += ms
    } else {
      this.queries++
      this.queryMs += ms
    }
    this.#isChange = false
  }
}
