import { useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { ConflictsJson } from '../../../src/rest/conflicts.ts'
import { addressOf } from '../../base/address.ts'
import { deviceNameById } from '../../view-model/device.ts'
import { formatSize } from '../../i18n/format.ts'
import { client } from '../../live/client.ts'
import { live } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { TimeAgo } from '../../ui/parts.tsx'
import { BulkBar } from '../../ui/selection.tsx'
import type { Column } from '../../ui/table-props.ts'
import { t } from '../../i18n/texts.ts'
import { PagedTable, usePagedRows, type PagedRows } from './paged-table.tsx'
import { PathButton, pathColumn } from './path-button.tsx'
import { resolveWithQuestion } from './resolve-conflicts.tsx'

type Conflict = ConflictsJson['items'][number]

/** The conflict copies of a folder, each with its original, to keep either of them. */
export function Conflicts({ folder }: { readonly folder: FolderConfig }) {
  const paged = usePagedRows<Conflict>(folder.id, (page, signal) =>
    client.call('GET /rest/twinfold/conflicts', { query: { folder: folder.id, ...page }, signal }),
  )
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const clear = () => setPicked(new Set())
  const resolve = async (keep: 'original' | 'copy') => {
    const conflicts = loaded(paged).filter(({ name }) => picked.has(name))
    if (!(await resolveWithQuestion({ keep, conflicts }))) return
    clear()
    paged.again()
  }
  return (
    <>
      {paged.list !== undefined && paged.list.total > 0 && <p class="soft files-note">{t('conflicts.todo')}</p>}
      <PagedTable
        folder={folder.id}
        paged={paged}
        none={t('conflicts.none')}
        kind="conflicts-table"
        caption={t('conflicts.title')}
        columns={columns(folder.id)}
        keyOf={({ name }) => name}
        selection={folder.paused ? undefined : { picked, onPick: setPicked, nameOf: ({ name }) => name, ...all(paged) }}
      />
      <BulkBar count={picked.size} onClear={clear}>
        <Button needs="operate" icon="file" onClick={() => resolve('original')}>
          {t('conflicts.keepFile', { n: picked.size })}
        </Button>
        <Button needs="operate" icon="copy" onClick={() => resolve('copy')}>
          {t('conflicts.keepCopy', { n: picked.size })}
        </Button>
      </BulkBar>
    </>
  )
}

function loaded({ list }: PagedRows<Conflict>): readonly Conflict[] {
  return [...(list?.pages.values() ?? [])].flat()
}

/** The names of all copies, if all are loaded. */
function all(paged: PagedRows<Conflict>): { readonly all?: readonly string[] } {
  const names = loaded(paged).map(({ name }) => name)
  return names.length === paged.list?.total ? { all: names } : {}
}

function columns(folder: string): readonly Column<Conflict>[] {
  return [
    pathColumn(folder, t('conflicts.copy')),
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
      id: 'compare',
      title: t('desk.compare'),
      isUntitled: true,
      phone: 'action',
      width: '112px',
      cell: ({ name }) => <a href={addressOf('conflicts', folder, name)}>{t('desk.compare')}</a>,
    },
    {
      id: 'time',
      title: t('files.modified'),
      phone: 'side',
      width: '224px',
      cell: ({ modified, modifiedBy }) => (
        <span class="soft">
          <TimeAgo time={modified} /> {t('conflicts.by', { device: deviceNameById(live.get(), modifiedBy) })}
        </span>
      ),
    },
  ]
}
