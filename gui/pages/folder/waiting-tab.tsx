import { useEffect, useRef } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { WaitingJson } from '../../../src/rest/twinfold.ts'
import { act, reasonOf } from '../../app/act.ts'
import { nameOf } from '../../facts/device.ts'
import { folderState } from '../../facts/folder-state.ts'
import { folderText } from '../../facts/folder-text.ts'
import { formatSize } from '../../facts/format.ts'
import { waitingFacts } from '../../facts/item-state.ts'
import { baseName } from '../../facts/paths.ts'
import { waitReason } from '../../facts/reasons.ts'
import { pagesOf } from '../../facts/virtual.ts'
import { useFolderRevision } from '../../live/query.ts'
import type { PagedList } from '../../live/paged.ts'
import { usePaged } from '../../live/use-paged.ts'
import { client } from '../../live/client.ts'
import { useFacts } from '../../live/facts.ts'
import { live, useLive } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { Bar, Empty, Skeleton, State } from '../../ui/parts.tsx'
import { Spacer } from '../../ui/spacer.tsx'
import { useVirtual } from '../../ui/virtual.ts'
import { t } from '../../words/words.ts'
import { PathButton } from './path-button.tsx'

const PER_PAGE = 100
const COLUMNS = 5
const FIRST_PAGE = new Map([['', [1]]])

type Item = WaitingJson['items'][number]

/** What the folder still needs, in the order of downloading, each with its reason. */
export function WaitingTab({ folder }: { readonly folder: FolderConfig }) {
  const fetchPage = (_key: string, page: number, signal: AbortSignal) =>
    client.call('GET /rest/twinfold/waiting', { query: { folder: folder.id, page, perpage: PER_PAGE }, signal })
  const { lists, show, again } = usePaged(folder.id, fetchPage, useFolderRevision(folder.id))
  const list = lists.get('')
  useEffect(() => show(FIRST_PAGE), [folder.id])
  if (list === undefined) return <Skeleton lines={8} />
  if (list.error !== undefined && list.pages.size === 0)
    return <Empty>{t('fold.failed', { reason: reasonOf(list.error) })}</Empty>
  if (list.total === 0) return <Empty>{t('waiting.none')}</Empty>
  return (
    <>
      <QueueNote folder={folder} total={list.total} />
      <QueueTable folder={folder} list={list} onShow={show} again={again} />
    </>
  )
}

interface QueueTableProps {
  readonly folder: FolderConfig
  readonly list: PagedList<Item>
  readonly onShow: (inSight: ReadonlyMap<string, readonly number[]>) => void
  readonly again: () => void
}

/** Only the rows in sight are rendered, and only their pages loaded. */
function QueueTable({ folder, list, onShow, again }: QueueTableProps) {
  const table = useRef<HTMLTableElement>(null)
  const { range, abovePx, belowPx } = useVirtual(table, list.total)
  useEffect(() => onShow(new Map([['', pagesOf(range, PER_PAGE)]])))
  const rows = Array.from({ length: range.end - range.first }, (_, at) => {
    const index = range.first + at
    return { index, item: list.pages.get(Math.floor(index / PER_PAGE) + 1)?.[index % PER_PAGE] }
  })
  return (
    <table ref={table} class="files-table waiting-table virtual" aria-rowcount={list.total + 1}>
      <caption class="unseen">{t('fold.tab.waiting')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('files.name')}</th>
          <th scope="col">{t('waiting.what')}</th>
          <th scope="col" class="number">
            {t('files.size')}
          </th>
          <th scope="col">{t('waiting.why')}</th>
          <th scope="col">
            <span class="unseen">{t('do.actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        <Spacer heightPx={abovePx} columns={COLUMNS} />
        {rows.map(({ index, item }) =>
          item === undefined ? (
            <tr key={index} data-index={index}>
              <td colSpan={COLUMNS}>…</td>
            </tr>
          ) : (
            <WaitingRow key={item.name} folder={folder} item={item} index={index} again={again} />
          ),
        )}
        <Spacer heightPx={belowPx} columns={COLUMNS} />
      </tbody>
    </table>
  )
}

/** One calm line where the source of the items is offline, else what the list shows. */
function QueueNote({ folder, total }: { readonly folder: FolderConfig; readonly total: number }) {
  const facts = useFacts((state) => folderState(state, folder))
  if (facts.code === 'sourceOffline')
    return (
      <p class="files-note">
        <State tone={facts.tone}>{folderText(facts, live.get())}</State>
      </p>
    )
  return (
    <p class="soft files-note">{t(folder.type === 'sendonly' ? 'wait.send-only' : 'waiting.order', { n: total })}</p>
  )
}

function WaitingRow({
  folder,
  item,
  index,
  again,
}: {
  readonly folder: FolderConfig
  readonly item: Item
  readonly index: number
  readonly again: () => void
}) {
  const progress = useLive((state) => state.progress[folder.id]?.[item.name])
  const facts = waitingFacts(item, folder)
  const reason = waitReason(item, (device) => nameOf(live.get(), device))
  const bytesDone = progress?.bytesDone ?? item.bytesDone
  const first = async () => {
    await act(() => client.prioritize(folder.id, item.name), t('file.firstDone', { name: baseName(item.name) }))
    again()
  }
  return (
    <tr data-index={index} aria-rowindex={index + 2}>
      <th scope="row">
        <PathButton folder={folder.id} path={item.name} />
      </th>
      <td>{t(`waiting.action.${item.action}`)}</td>
      <td class="number">{item.type === 'file' && item.action !== 'delete' && formatSize(item.sizeBytes)}</td>
      <td class="waiting-why">
        <State tone={facts.tone}>{t(reason.key, reason.values)}</State>
        {bytesDone > 0 && item.sizeBytes > 0 && (
          <Bar
            fraction={bytesDone / item.sizeBytes}
            label={`${formatSize(bytesDone)} / ${formatSize(item.sizeBytes)}`}
          />
        )}
      </td>
      <td class="files-row-actions">
        {facts.mayPrioritize && (
          <Button icon="first" onClick={first}>
            {t('file.first')}
          </Button>
        )}
      </td>
    </tr>
  )
}
