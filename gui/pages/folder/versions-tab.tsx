import { useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { VersionsJson } from '../../../src/rest/versions.ts'
import { addressOf } from '../../app/address.ts'
import { versionedFiles } from '../../facts/versions.ts'
import { useQuery } from '../../live/query.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/parts.tsx'
import { t } from '../../words/words.ts'
import { QueryResult, More } from './query-result.tsx'
import { SearchBox } from './files-tab.tsx'
import { restoreVersions } from './restore-versions.tsx'
import { VersionRow } from './version-row.tsx'

const STEP = 200

/** Older versions of files, and the action to restore them. */
export function VersionsTab({ folder, file }: { readonly folder: FolderConfig; readonly file: string | undefined }) {
  const isRunning = useLive((state) => (state.folders[folder.id]?.status.state ?? '') !== '')
  if (folder.versioning.type === '')
    return (
      <Empty action={<a href={addressOf('folders', folder.id, 'settings')}>{t('fold.tab.settings')}</a>}>
        {t('versions.off')}
      </Empty>
    )
  if (folder.paused || !isRunning) return <Empty>{t('versions.paused')}</Empty>
  return <Versions folder={folder.id} file={file} />
}

function Versions({ folder, file = '' }: { readonly folder: string; readonly file: string | undefined }) {
  const query = useQuery('', (signal) =>
    client.call('GET /rest/folder/versions', { query: { folder }, signal, timeoutMs: undefined }),
  )
  return (
    <QueryResult query={query}>
      {(versions) => <VersionList folder={folder} versions={versions} file={file} again={query.again} />}
    </QueryResult>
  )
}

interface ListProps {
  readonly folder: string
  readonly versions: VersionsJson
  readonly file: string
  readonly again: () => void
}

function VersionList({ folder, versions, file, again }: ListProps) {
  const [text, setText] = useState(file)
  const [shown, setShown] = useState(STEP)
  /** The time of the version wanted, by path. */
  const [times, setTimes] = useState<Readonly<Record<string, string>>>({})
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const files = versionedFiles(versions, text)
  const timeOf = (path: string) => times[path] ?? versions[path]?.[0]?.versionTime ?? ''
  const restore = async (paths: readonly string[]) => {
    if (!(await restoreVersions(folder, Object.fromEntries(paths.map((path) => [path, timeOf(path)]))))) return
    setChosen(new Set())
    setTimes({})
    again()
  }
  const choose = (path: string) =>
    setChosen((before) => new Set(before.has(path) ? [...before].filter((each) => each !== path) : [...before, path]))
  if (Object.keys(versions).length === 0) return <Empty>{t('versions.none')}</Empty>
  return (
    <>
      <div class="files-bar">
        <SearchBox label={t('versions.search')} text={text} onText={setText} />
        <Button kind="primary" disabled={chosen.size === 0} onClick={() => restore([...chosen])}>
          {t('versions.restoreMany', { n: chosen.size })}
        </Button>
      </div>
      {files.length === 0 ? (
        <Empty>{t('files.notFound', { text })}</Empty>
      ) : (
        <table class="files-table versions-table">
          <caption class="unseen">{t('fold.tab.versions')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('files.name')}</th>
              <th scope="col">{t('versions.version')}</th>
              <th scope="col" class="number">
                {t('files.size')}
              </th>
              <th scope="col">
                <span class="unseen">{t('do.actions')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {files.slice(0, shown).map((each) => (
              <VersionRow
                key={each.path}
                file={each}
                time={timeOf(each.path)}
                isChosen={chosen.has(each.path)}
                onChoose={() => choose(each.path)}
                onTime={(time) => setTimes({ ...times, [each.path]: time })}
                onRestore={() => restore([each.path])}
              />
            ))}
          </tbody>
        </table>
      )}
      <More left={files.length - shown} onMore={() => setShown(shown + STEP)} />
    </>
  )
}
