import { useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import { addressOf } from '../../app/address.ts'
import { folderName } from '../../facts/folder-name.ts'
import { folderState, type FolderState } from '../../facts/folder-state.ts'
import { folderText } from '../../facts/folder-text.ts'
import { formatDuration, formatRate, formatSize } from '../../facts/format.ts'
import { isTime } from '../../facts/moments.ts'
import { meanRate, secondsLeft } from '../../facts/rates.ts'
import { filterCounts, folderKey, orderedRows, type RowFilter, type RowKey } from '../../facts/row-order.ts'
import { useFacts } from '../../live/facts.ts'
import { live, useLive } from '../../live/live.ts'
import { Ago, Bar, Empty, State } from '../../ui/parts.tsx'
import { RowFilterBar } from '../../ui/row-filter.tsx'
import { language } from '../../words/language.ts'
import { t } from '../../words/words.ts'

/** One line per folder, by name, those with errors first; each opens its page. */
export function FolderRows({ folders }: { readonly folders: readonly FolderConfig[] }) {
  const [filter, setFilter] = useState<RowFilter>('all')
  const [text, setText] = useState('')
  const keys = useLive((state) => JSON.stringify(state.config?.folders.map((each) => folderKey(state, each)) ?? []))
  const rows = JSON.parse(keys) as readonly RowKey[]
  const ordered = orderedRows(rows, filter, text, language.get())
  const shown = ordered.flatMap((id) => folders.find((folder) => folder.id === id) ?? [])
  const bar = { counts: filterCounts(rows), filter, text, onFilter: setFilter, onText: setText }
  return (
    <>
      <RowFilterBar {...bar} label={t('filter.folders')} />
      {shown.length === 0 ? (
        <Empty>{t('filter.none')}</Empty>
      ) : (
        <ul class="rows">
          {shown.map((folder) => (
            <FolderRow key={folder.id} folder={folder} />
          ))}
        </ul>
      )}
    </>
  )
}

/** Name, state as text, a bar only during a transfer or a scan. The number of items out of sync opens their list. */
function FolderRow({ folder }: { readonly folder: FolderConfig }) {
  const facts = useFacts((state) => folderState(state, folder))
  const text = folderText(facts, live.get())
  const tab = tabOf(facts)
  const state = <State tone={facts.tone}>{text}</State>
  return (
    <li class="row">
      <a class="row-link row-name" href={addressOf('folders', folder.id)}>
        {folderName(folder)}
      </a>
      {tab === undefined ? (
        state
      ) : (
        <a class="row-cause" href={addressOf('folders', folder.id, tab)}>
          {state}
        </a>
      )}
      <span class="row-detail">
        {facts.fraction === undefined ? (
          <Content folder={folder} isCounted={facts.isCounted} />
        ) : (
          <Moving text={text} fraction={facts.fraction} bytesLeft={facts.code === 'scanning' ? 0 : facts.bytesLeft} />
        )}
      </span>
      <span class="row-side">
        <LastChange id={folder.id} />
      </span>
    </li>
  )
}

/** The tab of the folder's page that shows the details of the row's text. */
function tabOf({ code, waiting }: FolderState): string | undefined {
  if (code === 'problems') return 'problems'
  if (code === 'extra') return 'local'
  return waiting > 0 && code !== 'stopped' ? 'waiting' : undefined
}

function Content({ folder, isCounted }: { readonly folder: FolderConfig; readonly isCounted: boolean }) {
  const files = useLive((state) => state.folders[folder.id]?.status.globalFiles)
  const bytes = useLive((state) => state.folders[folder.id]?.status.globalBytes)
  const devices = t('count.devices', { n: folder.devices.length })
  if (files === undefined || !isCounted) return <>{devices}</>
  return <>{`${t('count.files', { n: files })} · ${formatSize(bytes ?? 0)} · ${devices}`}</>
}

function Moving({
  text,
  fraction,
  bytesLeft,
}: {
  readonly text: string
  readonly fraction: number
  readonly bytesLeft: number
}) {
  const rate = useLive((state) => meanRate(state.history).inBps)
  const leftS = bytesLeft === 0 ? undefined : secondsLeft(bytesLeft, rate)
  const words =
    leftS === undefined
      ? []
      : [
          t('overview.bytesLeft', { size: formatSize(bytesLeft) }),
          formatRate(rate),
          t('time.left', { time: formatDuration(leftS) }),
        ]
  return (
    <>
      <Bar fraction={fraction} label={text} />
      {words.length > 0 && <span class="row-pace">{words.join(' · ')}</span>}
    </>
  )
}

function LastChange({ id }: { readonly id: string }) {
  const at = useLive((state) => state.folderStats[id]?.lastFile.at ?? '')
  const name = useLive((state) => state.folderStats[id]?.lastFile.filename ?? '')
  return isTime(Date.parse(at)) ? (
    <span title={name}>
      {t('overview.changed')} <Ago time={at} />
    </span>
  ) : null
}
