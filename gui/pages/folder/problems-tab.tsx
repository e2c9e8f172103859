import { useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import { act } from '../../app/act.ts'
import { groupByCause, type CauseGroup } from '../../facts/cause.ts'
import { nameOf } from '../../facts/device.ts'
import { folderState } from '../../facts/folder-state.ts'
import { folderText } from '../../facts/folder-text.ts'
import { formatSize } from '../../facts/format.ts'
import { useQuery, useFolderRevision } from '../../live/query.ts'
import { client } from '../../live/client.ts'
import { live, useLive } from '../../live/live.ts'
import { fetchPages } from '../../live/pages.ts'
import { Button } from '../../ui/button.tsx'
import { Ago, Empty, Section, State } from '../../ui/parts.tsx'
import { t } from '../../words/words.ts'
import { QueryResult, More } from './query-result.tsx'
import { PathButton } from './path-button.tsx'

const PER_PAGE = 100
/** Limits the list when every file of a failing disk has an error. */
const ERRORS_MAX = 1_000
/** A larger group is opened by the user. */
const GROUP_OPEN_MAX = 20

/** Failed items with their remedies, and conflict copies. */
export function ProblemsTab({ folder }: { readonly folder: FolderConfig }) {
  const watchError = useLive((state) => state.folders[folder.id]?.status.watchError ?? '')
  const retry = () => act(() => client.scan(folder.id), t('problems.retried'))
  const actions = folder.paused ? undefined : (
    <Button icon="sync" onClick={retry}>
      {t('problems.retry')}
    </Button>
  )
  return (
    <>
      <Section title={t('problems.items')} actions={actions}>
        {!folder.paused && watchError !== '' && (
          <p class="files-note">
            <State tone="wait">{t('problems.watch', { reason: watchError })}</State>
          </p>
        )}
        {folder.paused ? <Empty>{t('problems.paused')}</Empty> : <Errors folder={folder} />}
      </Section>
      <Section title={t('conflicts.title')}>
        <Conflicts folder={folder.id} />
      </Section>
    </>
  )
}

function Errors({ folder }: { readonly folder: FolderConfig }) {
  const isRunning = useLive((state) => state.folders[folder.id]?.status.state !== '')
  const fetchErrors = (signal: AbortSignal) =>
    client.call('GET /rest/folder/errors', { query: { folder: folder.id, perpage: ERRORS_MAX }, signal })
  const query = useQuery(
    String(isRunning),
    async (signal) => (isRunning ? ((await fetchErrors(signal)).errors ?? []) : []),
    useFolderRevision(folder.id),
  )
  return (
    <QueryResult query={query}>
      {(errors) =>
        errors.length === 0 ? (
          <Empty>{t('problems.none')}</Empty>
        ) : (
          <div class="rows">
            {groupByCause(errors).map((group) => (
              <Group key={group.code} folder={folder} group={group} />
            ))}
          </div>
        )
      }
    </QueryResult>
  )
}

/** The items of one cause, with its remedy. Items without a source are one calm line. */
function Group({ folder, group: { code, problems } }: { readonly folder: FolderConfig; readonly group: CauseGroup }) {
  const state = useLive((value) => value)
  const facts = folderState(state, folder)
  const isCalm = code === 'noSource'
  const title = isCalm && facts.code === 'sourceOffline' ? folderText(facts, state) : t(`cause.${code}`)
  return (
    <details class="problem" open={!isCalm && problems.length <= GROUP_OPEN_MAX}>
      <summary>
        <State tone={isCalm ? 'away' : 'bad'}>{title}</State>
        <span class="soft">{t('count.items', { n: problems.length })}</span>
      </summary>
      <p class="soft">{t(`remedy.${code}`)}</p>
      <ul class="problem-items">
        {problems.map(({ path, error }) => (
          <li key={path}>
            <PathButton folder={folder.id} path={path} />
            {code === 'other' && <span class="soft">{error}</span>}
          </li>
        ))}
      </ul>
    </details>
  )
}

function Conflicts({ folder }: { readonly folder: string }) {
  const [pages, setPages] = useState(1)
  const query = useQuery(
    `${pages}`,
    (signal) =>
      fetchPages(pages, PER_PAGE, (page) =>
        client.call('GET /rest/twinfold/conflicts', { query: { folder, page, perpage: PER_PAGE }, signal }),
      ),
    useFolderRevision(folder),
  )
  return (
    <QueryResult query={query}>
      {({ total, items }) =>
        items.length === 0 ? (
          <Empty>{t('conflicts.none')}</Empty>
        ) : (
          <>
            <p class="soft files-note">{t('conflicts.todo')}</p>
            <table class="files-table conflicts-table">
              <caption class="unseen">{t('conflicts.title')}</caption>
              <thead>
                <tr>
                  <th scope="col">{t('conflicts.copy')}</th>
                  <th scope="col">{t('conflicts.original')}</th>
                  <th scope="col" class="number">
                    {t('files.size')}
                  </th>
                  <th scope="col">{t('files.modified')}</th>
                </tr>
              </thead>
              <tbody>
                {items.map(({ name, original, sizeBytes, modified, modifiedBy }) => (
                  <tr key={name}>
                    <th scope="row">
                      <PathButton folder={folder} path={name} />
                    </th>
                    <td>
                      <PathButton folder={folder} path={original} />
                    </td>
                    <td class="number">{formatSize(sizeBytes)}</td>
                    <td>
                      <Ago time={modified} /> {t('conflicts.by', { device: nameOf(live.get(), modifiedBy) })}
                    </td>
                  </tr>
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
