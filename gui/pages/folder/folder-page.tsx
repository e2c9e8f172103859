import { useEffect, useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import { addressOf } from '../../base/address.ts'
import { folderState } from '../../view-model/folder-state.ts'
import { useLiveFields } from '../../live/use-live-fields.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { useFolderRevision, useQuery } from '../../live/query.ts'
import { lookUp } from '../../base/look-up.ts'
import { EmptyNote, Skeleton } from '../../ui/parts.tsx'
import { Tabs, type Tab } from '../../ui/tabs.tsx'
import { t } from '../../i18n/texts.ts'
import { FilesTab } from './files-tab.tsx'
import { FolderHead } from './folder-head.tsx'
import type { HistoryTab } from './history-tab.tsx'
import { IgnoresTab } from './ignores-tab.tsx'
import { KeptTab } from './kept-tab.tsx'
import { LocalTab } from './local-tab.tsx'
import { ProblemsTab } from './problems-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { VersionsTab } from './versions-tab.tsx'
import { WaitingTab } from './waiting-tab.tsx'

/** Everything about one folder. `rest` is what the address names inside a tab: a file. */
export function FolderPage({
  id,
  tab,
  rest,
}: {
  readonly id: string
  readonly tab: string
  readonly rest: readonly string[]
}) {
  const folder = useLive((state) => state.config?.folders.find((each) => each.id === id))
  if (folder === undefined)
    return <EmptyNote action={<a href={addressOf('folders')}>{t('fold.all')}</a>}>{t('fold.unknown')}</EmptyNote>
  return (
    <>
      <FolderHead folder={folder} />
      <FolderTabs folder={folder} tab={tab} file={rest[0]} />
    </>
  )
}

interface TabsProps {
  readonly folder: FolderConfig
  readonly tab: string
  readonly file: string | undefined
}

function FolderTabs({ folder, tab, file }: TabsProps) {
  const counts = useLiveFields((state) => folderState(state, folder))
  const conflicts = useLive((state) => lookUp(state.conflicts, folder.id) ?? 0)
  const kept = useKeptCount(folder)
  const onlyReceives = folder.type === 'receiveonly' || folder.type === 'receiveencrypted'
  const names = [
    'files',
    'waiting',
    'problems',
    'versions',
    'history',
    ...(folder.type === 'receiveencrypted' ? [] : (['ignores'] as const)),
    ...(kept !== undefined || tab === 'kept' ? (['kept'] as const) : []),
    ...(onlyReceives ? (['local'] as const) : []),
    'settings',
  ] as const
  const numbers: Readonly<Record<string, number>> = {
    waiting: counts.waiting,
    problems: counts.problems + conflicts,
    local: counts.extra,
    kept: kept ?? 0,
  }
  const tabs: readonly Tab[] = names.map((name) => ({
    name,
    text: t(`fold.tab.${name}`),
    href: addressOf('folders', folder.id, name),
    count: numbers[name],
  }))
  useEffect(
    () => document.querySelector('.tabs a[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    [tab],
  )
  return (
    <Tabs tabs={tabs} active={tab} label={t('fold.tabs')}>
      <TabBody folder={folder} tab={tab} file={file} />
    </Tabs>
  )
}

/** How many files stay here that others deleted; undefined where the folder keeps none and has none. */
function useKeptCount({ id, paused, type }: FolderConfig): number | undefined {
  const revision = useFolderRevision(id)
  const { value } = useQuery(
    `${id} ${paused}`,
    async (signal) => {
      if (paused || type === 'receiveencrypted') return undefined
      const query = { folder: id, perpage: 1 }
      const [{ total }, { folders }] = await Promise.all([
        client.call('GET /rest/twinfold/kept', { query, signal }),
        client.call('GET /rest/twinfold/settings', { signal }),
      ])
      return total > 0 || lookUp(folders, id)?.collect === true ? total : undefined
    },
    revision,
  )
  return value
}

/** Loaded when it is opened: most visits do without. */
function LazyHistory(props: Parameters<typeof HistoryTab>[0]) {
  const [loaded, setLoaded] = useState<{ readonly HistoryTab: typeof HistoryTab } | undefined>(undefined)
  useEffect(() => {
    import('./history-tab.tsx').then(setLoaded).catch(() => setLoaded(undefined)) // the bar above tells why
  }, [])
  return loaded === undefined ? <Skeleton lines={5} /> : <loaded.HistoryTab {...props} />
}

function TabBody({ folder, tab, file }: TabsProps) {
  switch (tab) {
    case 'files':
      return <FilesTab folder={folder} file={file} />
    case 'waiting':
      return <WaitingTab folder={folder} />
    case 'problems':
      return <ProblemsTab folder={folder} />
    case 'versions':
      return <VersionsTab key={file} folder={folder} file={file} />
    case 'history':
      return <LazyHistory key={file} folder={folder} file={file} />
    case 'ignores':
      return <IgnoresTab folder={folder} />
    case 'kept':
      return <KeptTab folder={folder} />
    case 'local':
      return <LocalTab folder={folder} />
    case 'settings':
      return <SettingsTab folder={folder} />
    default:
      return <EmptyNote>{t('page.unknown')}</EmptyNote>
  }
}
