import type { FolderConfig } from '../core/config/config.ts'
import { stopText } from '../core/remedies/stop-text.ts'
import { remedyCommand } from '../core/remedies/remedy-command.ts'
import type { FolderStatusJson } from '../rest/db.ts'
import type { DisagreementsJson } from '../rest/network.ts'
import type { RemediesJson } from '../rest/remedies.ts'
import type { ScheduleJson } from '../rest/schedule.ts'
import type { DeviceShare } from './device-shares.ts'
import { METERED_REASON, pauseNote } from './schedule-notes.ts'
import { formatBytes, formatCount } from './text.ts'

/** What the daemon reports about one folder. */
export interface FolderReport {
  readonly status: FolderStatusJson
  readonly shares: readonly DeviceShare[]
  readonly disagreements: DisagreementsJson
  readonly conflicts: number
  /** Causes of errors with what solves them; none from a daemon without this route. */
  readonly remedies?: RemediesJson
  /** What the deletion guard holds, as sentences. */
  readonly held: readonly string[]
  /** What rules and conditions pause and restrict. */
  readonly schedule: Pick<ScheduleJson, 'pauses' | 'metered'>
  /** When a pause by the user ends, as ` until …`; empty: not by itself. */
  readonly pausedUntil: string
}

/** Why a folder is in sync or not, the most important reason first. */
export function folderReasons(folder: FolderConfig, report: FolderReport): readonly string[] {
  const { status } = report
  const note = folder.paused ? `paused${report.pausedUntil}` : pauseNote(report.schedule.pauses, 'folder', folder.id)
  if (note !== undefined) {
    const isOnBattery =
      !folder.paused && report.schedule.pauses.some(({ id, rule }) => id === folder.id && rule === null)
    // A resume ends what users and rules pause, not the condition.
    const command = isOnBattery ? `folder set ${folder.id} --pause-on-battery off` : `folder resume ${folder.id}`
    return [`it is ${note}: nothing in it is scanned or downloaded; "${command}" continues`]
  }
  const known = (report.remedies ?? []).filter((each) => each.folder === folder.id)
  if (status.error !== '') {
    const stops = known
      .filter(({ about }) => about === 'folder')
      .flatMap((each) => remedyReasons('it has stopped', each))
    return stops.length > 0 ? stops : [`it has stopped: ${stopText(status.error, folder)}`]
  }
  return [
    ...report.held,
    ...(report.held.length > 0 && status.needTotalItems === 0 ? [] : hereReasons(folder, status)),
    ...problemReasons(folder, report, known),
    ...deviceReasons(folder, report),
  ]
}

function hereReasons(folder: FolderConfig, status: FolderStatusJson): readonly string[] {
  const { state, needTotalItems, needBytes, localFiles } = status
  if (state.startsWith('scan')) return ['it is being scanned for changes']
  if (needTotalItems === 0) return [`it is in sync: ${formatCount(localFiles, 'file')} here, none is missing`]
  const items = formatCount(needTotalItems, 'item')
  if (folder.type === 'sendonly') {
    const remedy = `"folder override ${folder.id}" makes the files here win`
    return [`changes of other devices are not applied, because it is send-only: ${items}; ${remedy}`]
  }
  if (folder.ignoreDelete && status.needDeletes === needTotalItems) {
    return [`deleted elsewhere and kept here, because ignoreDelete is set: ${items}`]
  }
  const transfer = state.startsWith('sync') ? 'being downloaded now' : 'no transfer is running'
  return [`missing here: ${items}, ${formatBytes(needBytes)}; ${transfer}`]
}

/** The cause with its numbers, what to do, and the command. */
function remedyReasons(
  what: string,
  { cause, folder, message, remedy, command }: RemediesJson[number],
): readonly string[] {
  const run = command === null || !remedy.includes(command) ? `: ${command ?? remedyCommand(cause, folder)}` : ''
  return [`${what}: ${message}`, ...(remedy === '' ? [] : [`remedy: ${remedy}${run}`])]
}

function problemReasons(
  { id }: FolderConfig,
  { status, conflicts }: FolderReport,
  known: RemediesJson,
): readonly string[] {
  const { watchError, receiveOnlyTotalItems: changed } = status
  const failed = Math.max(status.errors, status.pullErrors)
  return [
    ...(failed > 0
      ? [`could not be read or downloaded: ${formatCount(failed, 'item')}; "status ${id}" lists them`]
      : []),
    ...known.filter(({ about }) => about === 'items').flatMap((each) => remedyReasons(`${each.items} of them`, each)),
    ...watchReasons(watchError, known),
    ...(changed > 0
      ? [`changed here and not sent to others: ${formatCount(changed, 'item')}; "folder revert ${id}" undoes that`]
      : []),
    ...(conflicts > 0
      ? [`${formatCount(conflicts, 'conflict copy', 'conflict copies')}; "conflicts ${id}" lists them`]
      : []),
  ]
}

function watchReasons(watchError: string, known: RemediesJson): readonly string[] {
  if (watchError === '') return []
  const what = 'changes are only found by full scans'
  const found = known.filter(({ about }) => about === 'watch').flatMap((each) => remedyReasons(what, each))
  return found.length > 0 ? found : [`${what}: ${watchError}`]
}

function deviceReasons(folder: FolderConfig, report: FolderReport): readonly string[] {
  const { shares } = report
  if (shares.length === 0) return [`it is shared with no device; "folder share ${folder.id} DEVICE" shares it`]
  const isAway = shares.some(({ state }) => state !== 'connected')
  return [...(isAway && report.schedule.metered === 'yes' ? [METERED_REASON] : []), ...shareReasons(folder, report)]
}

function shareReasons(folder: FolderConfig, { shares, disagreements, schedule }: FolderReport): readonly string[] {
  return shares.map((share) => {
    const name = share.name === '' ? share.deviceID : share.name
    const found = disagreements.find(
      (each) => each.deviceID === share.deviceID && (each.folder === folder.id || each.folder === null),
    )
    if (found !== undefined) return `${name}: ${found.reason}. ${found.remedy}`
    return `${name}: ${pauseNote(schedule.pauses, 'device', share.deviceID) ?? shareText(share, name)}`
  })
}

function shareText({ state, completion }: DeviceShare, name: string): string {
  if (state !== 'connected') return `${state}; "why ${name}" explains it`
  switch (completion?.remoteState) {
    case 'notSharing':
      return 'connected, but it has not accepted the folder yet: "pending accept" there'
    case 'paused':
      return 'connected, but the folder is paused there'
    case undefined:
    case 'unknown':
      return 'connected; it has not announced what it has yet'
    default:
      return completion?.needItems === 0 && completion.needDeletes === 0
        ? 'connected, and has everything'
        : `connected, and misses ${formatBytes(completion?.needBytes ?? 0)}`
  }
}
