import type { FolderConfig } from '../../../src/core/config/config.ts'
import { formatSize } from '../../facts/format.ts'
import { useQuery, useFolderRevision } from '../../live/query.ts'
import { client } from '../../live/client.ts'
import { Ago, Empty } from '../../ui/parts.tsx'
import { t } from '../../words/words.ts'
import { RevertButton } from './folder-actions.tsx'
import { QueryResult, More } from './query-result.tsx'
import { PathButton } from './path-button.tsx'
import { useState } from 'preact/hooks'
import { useLive } from '../../live/live.ts'

const STEP = 200

/** What was changed here although the folder only receives. */
export function LocalTab({ folder }: { readonly folder: FolderConfig }) {
  const [shown, setShown] = useState(STEP)
  const total = useLive((state) => state.folders[folder.id]?.status.receiveOnlyTotalItems ?? 0)
  const query = useQuery(
    `${shown}`,
    async (signal) =>
      (await client.call('GET /rest/db/localchanged', { query: { folder: folder.id, perpage: shown }, signal })).files,
    useFolderRevision(folder.id),
  )
  return (
    <QueryResult query={query}>
      {(files) =>
        files.length === 0 ? (
          <Empty>{t('local.none')}</Empty>
        ) : (
          <>
            <div class="files-bar">
              <p class="soft">{t('local.text')}</p>
              {!folder.paused && <RevertButton id={folder.id} count={Math.max(total, files.length)} />}
            </div>
            <table class="files-table local-table">
              <caption class="unseen">{t('fold.tab.local')}</caption>
              <thead>
                <tr>
                  <th scope="col">{t('files.name')}</th>
                  <th scope="col" class="number">
                    {t('files.size')}
                  </th>
                  <th scope="col">{t('changes.what')}</th>
                  <th scope="col">{t('files.modified')}</th>
                </tr>
              </thead>
              <tbody>
                {files.map(({ name, size, modified, deleted, type }) => (
                  <tr key={name}>
                    <th scope="row">
                      <PathButton folder={folder.id} path={name} />
                    </th>
                    <td class="number">{!deleted && type === 'FILE_INFO_TYPE_FILE' && formatSize(size)}</td>
                    <td>{t(deleted ? 'changes.deleted' : 'changes.modified')}</td>
                    <td>
                      <Ago time={modified} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            <More left={total - files.length} onMore={() => setShown(shown + STEP)} />
          </>
        )
      }
    </QueryResult>
  )
}
