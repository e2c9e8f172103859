import type { ConflictsJson } from '../../../src/rest/twinfold.ts'
import { nameOf } from '../../facts/device.ts'
import { formatSize } from '../../facts/format.ts'
import { client } from '../../live/client.ts'
import { live } from '../../live/live.ts'
import { Ago } from '../../ui/parts.tsx'
import type { Column } from '../../ui/table.tsx'
import { t } from '../../words/words.ts'
import { PagedTable, usePagedRows } from './paged-table.tsx'
import { PathButton } from './path-button.tsx'

type Conflict = ConflictsJson['items'][number]

/** The conflict copies of a folder, each with its original. */
export function Conflicts({ folder }: { readonly folder: string }) {
  const paged = usePagedRows(folder, (page, signal) =>
    client.call('GET /rest/twinfold/conflicts', { query: { folder, ...page }, signal }),
  )
  return (
    <>
      {paged.list !== undefined && paged.list.total > 0 && <p class="soft files-note">{t('conflicts.todo')}</p>}
      <PagedTable
        folder={folder}
        paged={paged}
        none={t('conflicts.none')}
        kind="conflicts-table"
        caption={t('conflicts.title')}
        columns={columns(folder)}
        keyOf={({ name }) => name}
      />
    </>
  )
}

function columns(folder: string): readonly Column<Conflict>[] {
  return [
    {
      id: 'name',
      title: t('conflicts.copy'),
      phone: 'name',
      cell: ({ name }) => <PathButton folder={folder} path={name} />,
    },
    {
      id: 'original',
      title: t('conflicts.original'),
      phone: 'line',
      width: '28%',
      cell: ({ original }) => <PathButton folder={folder} path={original} />,
    },
    {
      id: 'bytes',
      title: t('files.size'),
      isNumber: true,
      isWide: true,
      width: '88px',
      cell: ({ sizeBytes }) => formatSize(sizeBytes),
    },
    {
      id: 'time',
      title: t('files.modified'),
      phone: 'side',
      width: '224px',
      cell: ({ modified, modifiedBy }) => (
        <span class="soft">
          <Ago time={modified} /> {t('conflicts.by', { device: nameOf(live.get(), modifiedBy) })}
        </span>
      ),
    },
  ]
}
