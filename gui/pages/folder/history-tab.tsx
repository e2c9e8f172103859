import { useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { HistoryEntryJson, HistoryJson } from '../../../src/rest/history.ts'
import { runAction } from '../../app/run-action.ts'
import { addressOf } from '../../base/address.ts'
import { openDialog } from '../../base/dialogs.tsx'
import { visibleName } from '../../base/visible-name.ts'
import { formatMoment, formatTime } from '../../i18n/format.ts'
import { t } from '../../i18n/texts.ts'
import { client } from '../../live/client.ts'
import { live } from '../../live/live.ts'
import { useFolderRevision, useQuery } from '../../live/query.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyNote } from '../../ui/parts.tsx'
import { deviceNameById } from '../../view-model/device.ts'
import { groupEntries, shownName, type HistoryGroup } from '../../view-model/history.ts'
import { QueryResult } from './query-result.tsx'
import { RewindDialog } from './rewind-dialog.tsx'

const ENTRIES_AT_ONCE = 500

interface HistoryProps {
  readonly folder: FolderConfig
  /** The path whose changes are shown; undefined for all. */
  readonly file: string | undefined
}

/** What changed in a folder, in sentences, newest first. */
export function HistoryTab({ folder, file }: HistoryProps) {
  const revision = useFolderRevision(folder.id)
  const load = (signal?: AbortSignal, cursor?: string) => {
    const more = { ...(file !== undefined && { file }), ...(cursor !== undefined && { cursor }) }
    const query = { folder: folder.id, limit: ENTRIES_AT_ONCE, ...more }
    return client.call('GET /rest/twinfold/history', { query, ...(signal !== undefined && { signal }) })
  }
  const query = useQuery(`history ${folder.id} ${file ?? ''}`, (signal) => load(signal), revision)
  const [older, setOlder] = useState<Pick<HistoryJson, 'entries' | 'next'>>({ entries: [], next: null })
  return (
    <QueryResult query={query}>
      {(first) => {
        const next = older.entries.length > 0 ? older.next : first.next
        const more = () =>
          runAction(async () => {
            const page = await load(undefined, next ?? '')
            setOlder({ entries: [...older.entries, ...page.entries], next: page.next })
          })
        return (
          <>
            {file !== undefined && (
              <p class="soft files-note">
                {t('history.of', { path: visibleName(file) })}{' '}
                <a href={addressOf('folders', folder.id, 'history')}>{t('history.all')}</a>
              </p>
            )}
            <Timeline folder={folder} file={file} entries={joined(first.entries, older.entries)} />
            {next !== null && <Button onClick={more}>{t('history.more')}</Button>}
          </>
        )
      }}
    </QueryResult>
  )
}

/** The first page may have moved on since the others were loaded. */
function joined(first: readonly HistoryEntryJson[], older: readonly HistoryEntryJson[]): readonly HistoryEntryJson[] {
  const known = new Set(first.map(({ id }) => id))
  return [...first, ...older.filter(({ id }) => !known.has(id))]
}

function Timeline({ folder, file, entries }: HistoryProps & { readonly entries: readonly HistoryEntryJson[] }) {
  const groups = groupEntries(entries)
  if (groups.length === 0) return <EmptyNote>{t('history.none')}</EmptyNote>
  return (
    <ol class="history" aria-label={t('fold.tab.history')}>
      {groups.map((group) => (
        <li key={group.id} class="history-row">
          <span>
            {sentence(group)} <span class="soft">{details(group)}</span>
          </span>
          {group.kind !== 'baseline' && folder.type !== 'receiveencrypted' && (
            <Button needs="operate" kind="quiet" onClick={() => openRewind(folder, file, group)}>
              {t('rewind.before')}
            </Button>
          )}
        </li>
      ))}
    </ol>
  )
}

function openRewind(folder: FolderConfig, file: string | undefined, { fromMs }: HistoryGroup): void {
  // Entries of one moment are whole milliseconds: the moment before is without all of them.
  openDialog(() => <RewindDialog folder={folder} path={file ?? ''} toMs={fromMs - 1} />)
}

function sentence(group: HistoryGroup): string {
  const { baseline, by, count, kind, noun, path } = group
  if (baseline !== null) return t('history.baseline', { what: t('history.files', { n: baseline.files }) })
  const what = path === undefined ? t(`history.${noun}`, { n: count }) : visibleName(shownName(group))
  return t(`history.${kind}`, { device: deviceNameById(live.get(), by), what })
}

const HOW: Partial<Record<HistoryGroup['how'], () => string>> = {
  restore: () => t('history.restored'),
  rewind: () => t('history.rewound'),
  merge: () => t('history.merged'),
}

function details({ directory, how, fromMs, toMs }: HistoryGroup): string {
  const [from, to] = [formatMoment(fromMs), formatTime(toMs)]
  const parts = [
    directory === '' ? undefined : t('history.in', { directory: visibleName(directory) }),
    toMs - fromMs < 60_000 ? from : t('history.until', { from, to }),
    HOW[how]?.(),
  ]
  return parts.filter((part) => part !== undefined).join(', ')
}
