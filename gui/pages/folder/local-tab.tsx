import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { FileEntryJson } from '../../../src/rest/db.ts'
import { formatSize } from '../../i18n/format.ts'
import { client } from '../../live/client.ts'
import { live } from '../../live/live.ts'
import { lookUp } from '../../base/look-up.ts'
import { TimeAgo } from '../../ui/parts.tsx'
import type { Column } from '../../ui/table-props.ts'
import { t } from '../../i18n/texts.ts'
import { PagedTable, usePagedRows } from './paged-table.tsx'
import { pathColumn } from './path-button.tsx'

/** What was changed here although the folder only receives. */
export function LocalTab({ folder }: { readonly folder: FolderConfig }) {
  const paged = usePagedRows(folder.id, async (page, signal) => {
    const query = { folder: folder.id, ...page }
    const { files } = await client.call('GET /rest/db/localchanged', { query, signal })
    // The list has no total of its own; the status may be of a moment before.
    const counted = lookUp(live.get().folders, folder.id)?.status.receiveOnlyTotalItems ?? 0
    const seen = (page.page - 1) * page.perpage + files.length
    return { total: files.length < page.perpage ? seen : Math.max(counted, seen), items: files }
  })
  const total = paged.list?.total ?? 0
  return (
    <>
      {total > 0 && (
        <div class="files-bar">
          <p class="soft">{t('local.text')}</p>
        </div>
      )}
      <PagedTable
        folder={folder.id}
        paged={paged}
        none={t('local.none')}
        kind="local-table"
        caption={t('fold.tab.local')}
        columns={columns(folder.id)}
        keyOf={({ name }) => name}
      />
    </>
  )
}

function columns(folder: string): readonly Column<FileEntryJson>[] {
  return [
    pathColumn(folder, t('files.name')),
    {
      id: 'bytes',
      title: t('files.size'),
      isNumber: true,
      width: '88px',
      cell: ({ deleted, type, size }) => !deleted && type === 'FILE_INFO_TYPE_FILE' && formatSize(size),
    },
    {
      id: 'what',
      title: t('changes.what'),
      phone: 'line',
      width: '20%',
      cell: ({ deleted }) => t(deleted ? 'changes.deleted' : 'changes.modified'),
    },
    {
      id: 'time',
      title: t('files.modified'),
      phone: 'side',
      width: '144px',
      cell: ({ modified }) => (
        <span class="soft">
          <TimeAgo time={modified} />
        </span>
      ),
    },
  ]
}
