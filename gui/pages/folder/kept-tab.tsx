import { useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { KeptJson } from '../../../src/rest/kept.ts'
import { deviceNameById } from '../../view-model/device.ts'
import { formatSize } from '../../i18n/format.ts'
import { client } from '../../live/client.ts'
import { live } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyNote, TimeAgo } from '../../ui/parts.tsx'
import { BulkBar } from '../../ui/selection.tsx'
import type { Column } from '../../ui/table-props.ts'
import { t } from '../../i18n/texts.ts'
import { changeKept } from './change-kept.tsx'
import { PagedTable, usePagedRows, type PagedRows } from './paged-table.tsx'
import { pathColumn } from './path-button.tsx'

type Kept = KeptJson['items'][number]

/** Files that other devices have deleted and that stay here, to bring them back or to delete them. */
export function KeptTab({ folder }: { readonly folder: FolderConfig }) {
  return folder.paused ? <EmptyNote>{t('kept.paused')}</EmptyNote> : <KeptList folder={folder} />
}

function KeptList({ folder }: { readonly folder: FolderConfig }) {
  const paged = usePagedRows<Kept>(folder.id, (page, signal) =>
    client.call('GET /rest/twinfold/kept', { query: { folder: folder.id, ...page }, signal }),
  )
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const clear = () => setPicked(new Set())
  const change = async (action: 'bring-back' | 'delete') => {
    if (!(await changeKept(folder, [...picked], action))) return
    clear()
    paged.again()
  }
  return (
    <>
      {paged.list !== undefined && paged.list.total > 0 && <p class="soft files-note">{t('kept.text')}</p>}
      <PagedTable
        folder={folder.id}
        paged={paged}
        none={t('kept.none')}
        kind="kept-table"
        caption={t('fold.tab.kept')}
        columns={columns(folder.id)}
        keyOf={({ name }) => name}
        selection={{ picked, onPick: setPicked, nameOf: ({ name }) => name, ...all(paged) }}
      />
      <BulkBar count={picked.size} onClear={clear}>
        {folder.type !== 'receiveonly' && (
          <Button needs="admin" kind="primary" icon="first" onClick={() => change('bring-back')}>
            {t('kept.bringBack')}
          </Button>
        )}
        <Button needs="admin" icon="trash" onClick={() => change('delete')}>
          {t('kept.delete')}
        </Button>
      </BulkBar>
    </>
  )
}

/** The names of all, if all are loaded. */
function all({ list }: PagedRows<Kept>): { readonly all?: readonly string[] } {
  const names = [...(list?.pages.values() ?? [])].flat().map(({ name }) => name)
  return names.length === list?.total ? { all: names } : {}
}

function columns(folder: string): readonly Column<Kept>[] {
  return [
    pathColumn(folder, t('files.name')),
    {
      id: 'bytes',
      title: t('files.size'),
      isNumber: true,
      width: '88px',
      cell: ({ sizeBytes }) => formatSize(sizeBytes),
    },
    {
      id: 'time',
      title: t('kept.deleted'),
      phone: 'side',
      width: '224px',
      cell: ({ deleted, deletedBy }) => (
        <span class="soft">
          <TimeAgo time={deleted} /> {t('conflicts.by', { device: deviceNameById(live.get(), deletedBy) })}
        </span>
      ),
    },
  ]
}
