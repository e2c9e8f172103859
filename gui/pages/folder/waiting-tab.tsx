import { useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { WaitingJson } from '../../../src/rest/twinfold.ts'
import { act } from '../../app/act.ts'
import { nameOf } from '../../facts/device.ts'
import { folderState } from '../../facts/folder-state.ts'
import { folderText } from '../../facts/folder-text.ts'
import { formatSize } from '../../facts/format.ts'
import { waitingFacts } from '../../facts/item-state.ts'
import { baseName } from '../../facts/paths.ts'
import { waitReason } from '../../facts/reasons.ts'
import { useQuery, useFolderRevision } from '../../live/query.ts'
import { client } from '../../live/client.ts'
import { useFacts } from '../../live/facts.ts'
import { live, useLive } from '../../live/live.ts'
import { fetchPages } from '../../live/pages.ts'
import { Button } from '../../ui/button.tsx'
import { Bar, Empty, State } from '../../ui/parts.tsx'
import { t } from '../../words/words.ts'
import { QueryResult, More } from './query-result.tsx'
import { PathButton } from './path-button.tsx'

const PER_PAGE = 100

type Item = WaitingJson['items'][number]

/** What the folder still needs, in the order of downloading, each with its reason. */
export function WaitingTab({ folder }: { readonly folder: FolderConfig }) {
  const [pages, setPages] = useState(1)
  const query = useQuery(
    `${pages}`,
    (signal) =>
      fetchPages(pages, PER_PAGE, (page) =>
        client.call('GET /rest/twinfold/waiting', { query: { folder: folder.id, page, perpage: PER_PAGE }, signal }),
      ),
    useFolderRevision(folder.id),
  )
  return (
    <QueryResult query={query}>
      {({ total, items }) =>
        items.length === 0 ? (
          <Empty>{t('waiting.none')}</Empty>
        ) : (
          <>
            <QueueNote folder={folder} total={total} />
            <table class="files-table waiting-table">
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
                {items.map((item) => (
                  <WaitingRow key={item.name} folder={folder} item={item} again={query.again} />
                ))}
              </tbody>
            </table>
            <More left={total - items.length} onMore={() => setPages(pages + 1)} />
          </>
        )
      }
    </QueryResult>
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
  again,
}: {
  readonly folder: FolderConfig
  readonly item: Item
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
    <tr>
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
