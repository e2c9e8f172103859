import { settledRecord } from '../../core/records/contested-deletion.ts'
import type { Needs } from '../../db/types.ts'
import { shortIdText } from '../../core/device-id.ts'
import type { CounterFloor } from '../state/counter-floor.ts'
import type { PullParts } from './pull-parts.ts'

const NAMES_AT_ONCE = 500

interface SettleParts extends Pick<PullParts, 'clock' | 'folder' | 'folderLock' | 'index' | 'log' | 'records'> {
  readonly counts: Pick<CounterFloor, 'counting'>
}

/** Whether a record of another device contests one of ours. */
export async function isAnyContested(needs: Pick<Needs, 'contested'>): Promise<boolean> {
  return (await needs.contested({ afterName: '', limit: 1 })).length > 0
}

/**
 * Settles contested deletions: our records that are contested get a version above what contests them. Nothing on
 * disk changes. The contest is stored in the index, so an interruption leaves the rest to the next pull.
 */
export async function settleContested(parts: SettleParts, signal: AbortSignal): Promise<void> {
  for (let afterName: string | undefined = ''; afterName !== undefined;) {
    signal.throwIfAborted()
    const names: readonly string[] = await parts.index.needs.contested({ afterName, limit: NAMES_AT_ONCE })
    using _lock = await parts.folderLock.shared(signal)
    for (const name of names) await settleOne(parts, name)
    await parts.records.flush()
    afterName = names.length < NAMES_AT_ONCE ? undefined : names.at(-1)
  }
}

async function settleOne({ index, counts, ...parts }: SettleParts, name: string): Promise<void> {
  const local = await index.records.get('local', name)
  const [records] = await index.listing.recordsOf([name])
  if (local === undefined || records === undefined) return
  const nowS = Math.floor(parts.clock.nowMs() / 1_000)
  const settled = settledRecord(local, records.others.values(), { nowS, ...counts.counting })
  if (settled?.contestedBy === undefined) return
  const author = shortIdText(settled.contestedBy)
  const where = `folder ${parts.folder.id}: ${JSON.stringify(name)}`
  const reason = settled.deleted
    ? `stays deleted: ${author} has the deleted content under another version`
    : `is kept: ${author} deleted it later, without having received this version`
  parts.log.info(`${where} ${reason}`)
  parts.records.add(settled, local)
}
