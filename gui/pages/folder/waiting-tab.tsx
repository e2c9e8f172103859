import { useRef, useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { WaitingJson } from '../../../src/rest/twinfold.ts'
import { deviceNameById } from '../../view-model/device.ts'
import { folderState } from '../../view-model/folder-state.ts'
import { formatSize } from '../../i18n/format.ts'
import { waitingFacts } from '../../view-model/item-state.ts'
import { baseName } from '../../base/paths.ts'
import { waitReason } from '../../view-model/reasons.ts'
import { client } from '../../live/client.ts'
import { useLiveFields } from '../../live/use-live-fields.ts'
import { live, useLive } from '../../live/live.ts'
import { lookUp } from '../../base/look-up.ts'
import { Button } from '../../ui/button.tsx'
import { OverTime } from '../../ui/over-time.tsx'
import { ProgressBar, StateLabel } from '../../ui/parts.tsx'
import { BulkBar } from '../../ui/selection.tsx'
import { useColumns } from '../../ui/table.tsx'
import type { Column } from '../../ui/table-props.ts'
import { t } from '../../i18n/texts.ts'
import { downloadFirst } from './download-first.ts'
import { PagedTable, usePagedRows } from './paged-table.tsx'
import { PathButton } from './path-button.tsx'

type Item = WaitingJson['items'][number]

/** What the folder still needs, in the order of downloading, each with its reason. */
export function WaitingTab({ folder }: { readonly folder: FolderConfig }) {
  const paged = usePagedRows<Item>(folder.id, (page, signal, { after, before }) => {
    const query = { folder: folder.id, ...page, after: after?.name, before: before?.name }
    return client.call('GET /rest/twinfold/waiting', { query, signal })
  })
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const clear = () => setPicked(new Set())
  const mayPick = !folder.paused && folder.type !== 'sendonly'
  const first = async (names: readonly string[], done: string) => {
    await downloadFirst(folder.id, names, done)
    clear()
    paged.again()
  }
  const prioritize = useRef(first)
  prioritize.current = first
  const shown = useColumns(
    () => columns(folder, (name) => prioritize.current([name], t('file.firstDone', { name: baseName(name) }))),
    [folder],
  )
  return (
    <>
      {paged.list !== undefined && paged.list.total > 0 && <QueueNote folder={folder} total={paged.list.total} />}
      <PagedTable
        folder={folder.id}
        paged={paged}
        none={t('waiting.none')}
        kind="waiting-table"
        caption={t('fold.tab.waiting')}
        columns={shown}
        keyOf={({ name }) => name}
        selection={mayPick ? { picked, onPick: setPicked, nameOf: ({ name }) => name } : undefined}
      />
      <BulkBar count={picked.size} onClear={clear}>
        <Button needs="operate" icon="first" onClick={() => first([...picked], t('table.first', { n: picked.size }))}>
          {t('file.first')}
        </Button>
      </BulkBar>
      <OverTime of="folder" id={folder.id} />
    </>
  )
}

function columns(folder: FolderConfig, onFirst: (name: string) => unknown): readonly Column<Item>[] {
  return [
    {
      id: 'name',
      title: t('files.name'),
      phone: 'name',
      cell: ({ name }) => <PathButton folder={folder.id} path={name} />,
    },
    {
      id: 'action',
      title: t('waiting.what'),
      isWide: true,
      width: '116px',
      cell: ({ action }) => t(`waiting.action.${action}`),
    },
    {
      id: 'bytes',
      title: t('files.size'),
      phone: 'side',
      isNumber: true,
      width: '88px',
      cell: ({ type, action, sizeBytes }) => type === 'file' && action !== 'delete' && formatSize(sizeBytes),
    },
    {
      id: 'why',
      title: t('waiting.why'),
      phone: 'line',
      width: '40%',
      cell: (item) => <Why folder={folder} item={item} />,
    },
    {
      id: 'actions',
      title: t('do.actions'),
      isUntitled: true,
      phone: 'action',
      width: '168px',
      cell: (item) =>
        waitingFacts(item, folder).mayPrioritize && (
          <Button needs="operate" icon="first" onClick={() => onFirst(item.name)}>
            {t('file.first')}
          </Button>
        ),
    },
  ]
}

/** What the list shows. Where the source of the items is offline, the head of the folder has that line. */
function QueueNote({ folder, total }: { readonly folder: FolderConfig; readonly total: number }) {
  const facts = useLiveFields((state) => folderState(state, folder))
  if (facts.code === 'sourceOffline') return null
  return (
    <p class="soft files-note">{t(folder.type === 'sendonly' ? 'wait.send-only' : 'waiting.order', { n: total })}</p>
  )
}

function Why({ folder, item }: { readonly folder: FolderConfig; readonly item: Item }) {
  const progress = useLive((state) => lookUp(state.progress, folder.id)?.[item.name])
  const reason = waitReason(item, (device) => deviceNameById(live.get(), device))
  const text = t(reason.key, reason.values)
  const bytesDone = progress?.bytesDone ?? item.bytesDone
  return (
    <span class="row-progress" title={text}>
      <StateLabel tone={waitingFacts(item, folder).tone}>{text}</StateLabel>
      {bytesDone > 0 && item.sizeBytes > 0 && (
        <ProgressBar
          fraction={bytesDone / item.sizeBytes}
          label={`${formatSize(bytesDone)} / ${formatSize(item.sizeBytes)}`}
        />
      )}
    </span>
  )
}
