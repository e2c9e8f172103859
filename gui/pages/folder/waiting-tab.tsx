import { useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { WaitingJson } from '../../../src/rest/twinfold.ts'
import { act } from '../../app/act.ts'
import { nameOf } from '../../facts/device.ts'
import { formatSize } from '../../facts/format.ts'
import { baseName } from '../../facts/paths.ts'
import { waitReason } from '../../facts/reasons.ts'
import { useQuery, useFolderRevision } from '../../live/query.ts'
import { client } from '../../live/client.ts'
import { live, useLive } from '../../live/live.ts'
import { fetchPages } from '../../live/pages.ts'
import { Button } from '../../ui/button.tsx'
import { Bar, Empty, State, type Tone } from '../../ui/parts.tsx'
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
            <p class="soft files-note">{t('waiting.order', { n: total })}</p>
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
                  <WaitingRow key={item.name} folder={folder.id} item={item} again={query.again} />
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

function WaitingRow({
  folder,
  item,
  again,
}: {
  readonly folder: string
  readonly item: Item
  readonly again: () => void
}) {
  const progress = useLive((state) => state.progress[folder]?.[item.name])
  const reason = waitReason(item, (device) => nameOf(live.get(), device))
  const bytesDone = progress?.bytesDone ?? item.bytesDone
  const first = async () => {
    await act(() => client.prioritize(folder, item.name), t('file.firstDone', { name: baseName(item.name) }))
    again()
  }
  return (
    <tr>
      <th scope="row">
        <PathButton folder={folder} path={item.name} />
      </th>
      <td>{t(`waiting.action.${item.action}`)}</td>
      <td class="number">{item.type === 'file' && item.action !== 'delete' && formatSize(item.sizeBytes)}</td>
      <td class="waiting-why">
        <State tone={toneOf(item.reason.code)}>{t(reason.key, reason.values)}</State>
        {bytesDone > 0 && item.sizeBytes > 0 && (
          <Bar
            fraction={bytesDone / item.sizeBytes}
            label={`${formatSize(bytesDone)} / ${formatSize(item.sizeBytes)}`}
          />
        )}
      </td>
      <td class="files-row-actions">
        {item.action === 'download' && item.stage !== 'downloading' && (
          <Button icon="first" onClick={first}>
            {t('file.first')}
          </Button>
        )}
      </td>
    </tr>
  )
}

function toneOf(code: Item['reason']['code']): Tone {
  switch (code) {
    case 'downloading':
      return 'busy'
    case 'failed':
    case 'folder-error':
      return 'bad'
    case 'paused':
      return 'off'
    default:
      return 'wait'
  }
}
