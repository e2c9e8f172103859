import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../platform/clock.ts'
import { damaged } from '../sqlite/damage.ts'
import { Tally } from './counts.ts'
import { FolderState } from './folder-state.ts'
import { FolderTable } from './folder-table.ts'
import { LOCAL_NUMBER } from '../sqlite/schema.ts'
import { readMeta } from '../sqlite/meta.ts'
import { MARK_NEEDED } from './name-writer.ts'
import { RemoteNeed, type NeedStep } from './remote-need.ts'
import { STORED_COLUMNS } from './row-format.ts'
import { RowReader } from './row-reader.ts'
import { Query } from '../sqlite/sql.ts'
import { NEVER } from '../../core/never.ts'

const ROWS_AT_ONCE = 2_000

/**
 * Reads a whole index and compares it with its stored state: every row must have the checksum it was written with, and
 * together the rows must give the totals of the last batch. That also detects lost rows and rows of another state.
 * Yields to the event loop between pages. Throws `database-damaged`.
 */
export async function checkFolder(database: DatabaseSync, clock: Clock): Promise<void> {
  const text = readMeta(database, 'state')
  if (text === undefined) return // created, and never written to
  const stored = FolderState.fromText(text)
  const counted = new FolderState(stored.folder, stored.indexId)
  counted.counterId = stored.counterId
  counted.history = stored.history
  counted.remoteNeeds = stored.remoteNeeds // compared below
  counted.holders = stored.holders.map((holder) => ({ ...holder, records: 0 }))
  const reader = new RowReader()
  const page = new Query(
    database,
    `SELECT device, ${STORED_COLUMNS} FROM files
    WHERE (device, name) > (?, ?) ORDER BY device, name LIMIT ${ROWS_AT_ONCE}`,
  )
  for (let at: readonly [number, string] = [-1, '']; ;) {
    const rows = page.all(...at) // at most two
    for (const [device, ...columns] of rows) {
      const holder = counted.holders.find(({ number }) => number === device)
      if (holder === undefined) throw damaged('it holds records of an unknown device')
      const { head, mark, sum } = reader.stored(holder.number, columns)
      // Rows of another device may exceed it: removing a device resets its sequence first.
      if (holder.number === LOCAL_NUMBER && head.sequence > holder.sequence)
        throw damaged('it holds records of another state')
      counted.countRow(holder, head, sum, 1)
      const won = holder.number === LOCAL_NUMBER ? mark === 0 : mark > 0
      if (won) counted.countWinner(head, mark === MARK_NEEDED, 1)
      at = [holder.number, head.name]
    }
    if (rows.length < ROWS_AT_ONCE) break
    await clock.sleep(0, NEVER)
  }
  if (counted.toText() !== stored.toText()) throw damaged('its records are not those of its last batch')
  const lost = new Query(
    database,
    'SELECT 1 FROM files WHERE list IS NOT NULL AND list NOT IN (SELECT id FROM lists) LIMIT 1',
  )
  if (lost.first() !== undefined) throw damaged('a block list is missing')
  await checkRemoteNeeds(database, stored, clock)
}

/** What other devices have decides on no file: a wrong count is dropped, and counted again when it is asked for. */
async function checkRemoteNeeds(database: DatabaseSync, stored: FolderState, clock: Clock): Promise<void> {
  const files = new FolderTable(database, () => stored)
  const remoteNeed = new RemoteNeed(database, files)
  for (const { owner } of stored.holders) {
    const having = owner === 'local' ? undefined : stored.remoteNeeds.having(owner)
    if (owner === 'local' || having === undefined) continue
    const need = new Tally()
    for (let after: string | undefined = ''; after !== undefined;) {
      const step: NeedStep = remoteNeed.step(owner, after)
      for (const head of step.needed) need.add(head, 1)
      after = step.next
      if (after !== undefined) await clock.sleep(0, NEVER)
    }
    if (`${stored.global.liveWithout(need).toText()}` === `${having.toText()}`) continue
    files.change((state) => state.remoteNeeds.drop(owner))
  }
}
