import type { FolderConfig } from '../../src/core/config/config.ts'
import { lookUp } from '../base/look-up.ts'
import type { LiveState } from '../live/state.ts'
import type { TextKey } from '../i18n/texts.ts'
import type { AttentionEntry, AttentionMember, Remedy } from './attention-entry.ts'
import { causeOf, type CauseCode } from '../../src/core/remedies/cause.ts'
import { remedyOf } from '../../src/core/remedies/remedy.ts'
import { groupByCause } from './cause.ts'
import { deviceNameById } from './device.ts'
import { folderName } from './folder-name.ts'
import { folderState, type FolderState } from './folder-state.ts'
import { lossEntries } from './losses.ts'
import { deviceRequestsOf, offersOf } from './pending.ts'
import { warningRemedy } from './remedy.ts'
import { otherWarnings } from './risks.ts'

interface Standing {
  readonly folder: FolderConfig
  readonly facts: FolderState
}

/** All entries, the most severe first. */
export function attentionEntries(state: LiveState): readonly AttentionEntry[] {
  const standings = standingsOf(state)
  return [
    ...lossEntries(state),
    ...stopped(state, standings),
    ...problems(state, standings),
    ...disagreements(state),
    ...risks(state),
    ...requests(state),
    ...conflicts(state),
    ...different(standings, 'extra', 'local'),
    ...different(standings, 'sendOnly', 'waiting'),
    ...unwatched(state),
    ...restart(state),
    ...warnings(state),
  ]
}

/** The numbers of the headline, from the same states. */
export function attentionCounts(state: LiveState) {
  const entries = attentionEntries(state)
  const isOf = (kind: string) => entries.filter(({ id }) => id.startsWith(`${kind} `))
  const affected = [...isOf('stopped'), ...isOf('problems'), ...isOf('extra'), ...isOf('sendOnly')]
  return {
    entries: entries.length,
    isSevere: affected.some(({ tone }) => tone === 'bad'),
    folders: new Set(affected.flatMap(({ members }) => members.map(({ place }) => place[1]))).size,
    risks: isOf('risk').length,
    requests: deviceRequestsOf(state).length + offersOf(state).length,
    conflicts: conflictTotal(state),
    held: isOf('held').reduce((sum, { remedy }) => sum + (remedy.kind === 'guard' ? remedy.files : 0), 0),
  }
}

function standingsOf(state: LiveState): readonly Standing[] {
  return (state.config?.folders ?? []).map((folder) => ({ folder, facts: folderState(state, folder) }))
}

function memberOf(
  folder: FolderConfig,
  tab: string | undefined,
  n: number | undefined,
): AttentionEntry['members'][number] {
  return { name: folderName(folder), place: ['folders', folder.id, ...(tab === undefined ? [] : [tab])], n }
}

function stopped(state: LiveState, standings: readonly Standing[]): readonly AttentionEntry[] {
  const found = standings.filter(({ facts }) => facts.code === 'stopped')
  return [...Map.groupBy(found, ({ facts }) => facts.cause ?? 'other')].map(([cause, of]) => ({
    id: `stopped ${cause}`,
    tone: 'bad',
    title: { key: `cause.${cause}`, values: {} },
    advice: `remedy.${cause}`,
    members: of.map(({ folder }) => ({
      ...memberOf(folder, undefined, undefined),
      remedy: remedyIn(state, folder.id, cause, 'folder'),
    })),
    remedy: retryOf(
      cause,
      of.map(({ folder }) => folder.id),
    ),
  }))
}

/** *Retry* is offered only where it can help. */
function retryOf(cause: CauseCode, folders: readonly string[]): Remedy {
  const canHelp = remedyOf(cause).actions.includes('retry')
  return canHelp ? { kind: 'scan', word: 'attention.retry', folders } : { kind: 'none' }
}

function remedyIn(
  { remedies }: LiveState,
  folder: string,
  cause: CauseCode,
  about: LiveState['remedies'][number]['about'],
): AttentionMember['remedy'] {
  return remedies.find((each) => each.folder === folder && each.cause === cause && each.about === about)
}

/** Failed items of all folders, by cause. Where the list is not loaded yet, the count alone is known. */
function problems(state: LiveState, standings: readonly Standing[]): readonly AttentionEntry[] {
  const found = standings
    .filter(({ facts }) => facts.code === 'problems')
    .flatMap(({ folder, facts }) => causesIn(state, folder, facts).map((each) => ({ folder, ...each })))
  return [...Map.groupBy(found, ({ cause }) => cause)].map(([cause, of]) => ({
    id: `problems ${cause}`,
    tone: 'bad',
    title: { key: `cause.${cause}`, values: {} },
    advice: `remedy.${cause}`,
    members: of.map(({ folder, n }) => ({
      ...memberOf(folder, 'problems', n),
      remedy: remedyIn(state, folder.id, cause, 'items'),
    })),
    remedy: retryOf(
      cause,
      of.map(({ folder }) => folder.id),
    ),
  }))
}

function causesIn(
  state: LiveState,
  folder: FolderConfig,
  facts: FolderState,
): readonly { readonly cause: CauseCode; readonly n: number }[] {
  const groups = groupByCause(lookUp(state.folders, folder.id)?.errors ?? []).filter(({ code }) => code !== 'noSource')
  if (groups.length === 0) return [{ cause: 'other', n: facts.problems }]
  return groups.map(({ code, problems: { length } }) => ({ cause: code, n: length }))
}

/** Encryption settings that differ here and on another device. */
function disagreements(state: LiveState): readonly AttentionEntry[] {
  return state.disagreements.map(({ deviceID, folder, code }) => {
    const place = folder === null ? ['devices', deviceID] : ['folders', folder]
    return {
      id: `disagreement ${deviceID} ${folder}`,
      tone: 'bad',
      title: { key: 'disagree.title', values: { device: deviceNameById(state, deviceID) } },
      advice: `disagree.${code}`,
      members: [],
      remedy: { kind: 'go', word: 'attention.show', place },
    }
  })
}

function risks({ risks: found }: LiveState): readonly AttentionEntry[] {
  return found.map(({ code, message }) => ({
    id: `risk ${code} ${message}`,
    tone: 'bad',
    title: { key: `risk.${code}`, values: {} },
    advice: undefined,
    members: [],
    remedy:
      code === 'gui-open'
        ? { kind: 'go', word: 'risk.setPassword', place: ['settings', 'gui'] }
        : { kind: 'go', word: 'attention.show', place: code === 'proxy-not-trusted' ? [] : ['folders'] },
  }))
}

function requests(state: LiveState): readonly AttentionEntry[] {
  const n = deviceRequestsOf(state).length + offersOf(state).length
  return entryOf(n, 'requests all', 'attention.requests', { kind: 'go', word: 'attention.show', place: ['devices'] })
}

function entryOf(n: number, id: string, key: TextKey, remedy: Remedy, advice?: TextKey): readonly AttentionEntry[] {
  return n === 0 ? [] : [{ id, tone: 'wait', title: { key, values: { n } }, advice, members: [], remedy }]
}

function conflictTotal({ conflicts: counts }: LiveState): number {
  return Object.values(counts).reduce((sum, n) => sum + n, 0)
}

function conflicts(state: LiveState): readonly AttentionEntry[] {
  const found = (state.config?.folders ?? []).filter(({ id }) => (lookUp(state.conflicts, id) ?? 0) > 0)
  const members = found.map((folder) => memberOf(folder, 'problems', lookUp(state.conflicts, folder.id)))
  const remedy: Remedy = { kind: 'go', word: 'desk.compare', place: ['conflicts'] }
  return entryOf(conflictTotal(state), 'conflicts all', 'attention.conflicts', remedy, 'conflicts.todo').map(
    (entry) => ({
      ...entry,
      members,
    }),
  )
}

/** What is different on purpose: ours in a folder that only receives, others' in one that only sends. */
function different(standings: readonly Standing[], code: 'extra' | 'sendOnly', tab: string): readonly AttentionEntry[] {
  const members = standings
    .filter(({ facts }) => facts.code === code)
    .map(({ folder, facts }) => memberOf(folder, tab, code === 'extra' ? facts.extra : facts.waiting))
  const n = members.reduce((sum, each) => sum + (each.n ?? 0), 0)
  const remedy: Remedy = { kind: 'go', word: 'attention.show', place: members[0]?.place ?? [] }
  return entryOf(n, `${code} all`, `attention.${code}`, remedy).map((entry) => ({ ...entry, members }))
}

/** Changes are found by rescans only: by cause. Watching is tried again by itself. */
function unwatched(state: LiveState): readonly AttentionEntry[] {
  const found = standingsOf(state)
    .filter(({ facts }) => facts.isCounted && facts.code !== 'stopped')
    .map(({ folder }) => ({ folder, error: lookUp(state.folders, folder.id)?.status.watchError ?? '' }))
    .filter(({ error }) => error !== '')
  return [...Map.groupBy(found, ({ error }) => causeOf(error))].map(([cause, of]) => ({
    id: `unwatched ${cause}`,
    tone: 'wait',
    title: cause === 'watches' ? { key: 'cause.watches', values: {} } : unwatchedTitle(of.length),
    advice: 'remedy.watches',
    members: of.map(({ folder }) => ({
      ...memberOf(folder, 'problems', undefined),
      remedy: remedyIn(state, folder.id, cause, 'watch'),
    })),
    remedy: { kind: 'none' },
  }))
}

function unwatchedTitle(n: number): AttentionEntry['title'] {
  return { key: 'attention.unwatched', values: { n } }
}

function restart({ restartRequired }: LiveState): readonly AttentionEntry[] {
  return entryOf(Number(restartRequired), 'restart all', 'overview.restartRequired', {
    kind: 'restart',
    word: 'overview.restart',
  })
}

/** Warnings of the log by their remedy. Those about folders are shown by the entries above. */
function warnings({ warnings: lines, risks: found }: LiveState): readonly AttentionEntry[] {
  const others = otherWarnings(lines, found).filter(({ message }) => !/^folder\b/i.test(message))
  return [...Map.groupBy(others, ({ message }) => warningRemedy(message) ?? 'other')].map(([remedy, of]) => ({
    id: `warning ${remedy}`,
    tone: 'wait',
    title: { key: 'attention.warnings', values: { n: of.length } },
    advice: remedy === 'other' ? undefined : remedy,
    members: remedy === 'other' ? [{ name: of.at(-1)?.message ?? '', place: ['log'], n: undefined }] : [],
    remedy: { kind: 'clear', word: 'overview.clear' },
  }))
}
