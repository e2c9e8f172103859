import type { FolderConfig } from '../../../src/core/config/config.ts'
import { runAction } from '../../app/run-action.ts'
import { groupByCause, type CauseGroup } from '../../view-model/cause.ts'
import { errorText } from '../../view-model/error-text.ts'
import { folderState } from '../../view-model/folder-state.ts'
import { folderText } from '../../view-model/folder-text.ts'
import { useQuery, useFolderRevision } from '../../live/query.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { lookUp } from '../../base/look-up.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyNote, Section, StateLabel } from '../../ui/parts.tsx'
import { t } from '../../i18n/texts.ts'
import { Conflicts } from './conflicts.tsx'
import { QueryResult } from './query-result.tsx'
import { PathButton } from './path-button.tsx'

/** Limits the list when every file of a failing disk has an error. */
const ERRORS_MAX = 1_000
/** A larger group is opened by the user. */
const GROUP_OPEN_MAX = 20

/** Failed items with their remedies, and conflict copies. */
export function ProblemsTab({ folder }: { readonly folder: FolderConfig }) {
  const status = useLive((state) => lookUp(state.folders, folder.id)?.status)
  const { watchError = '', error = '', pullErrors = 0 } = status ?? {}
  const hasFailed = watchError !== '' || error !== '' || pullErrors > 0
  const retry = () => runAction(() => client.scan(folder.id), t('problems.retried'))
  const actions = !folder.paused && hasFailed && (
    <Button icon="sync" needs="operate" onClick={retry}>
      {t('problems.retry')}
    </Button>
  )
  return (
    <>
      <Section title={t('problems.items')} actions={actions}>
        {!folder.paused && watchError !== '' && (
          <p class="files-note">
            <StateLabel tone="wait">{t('problems.watch', { reason: errorText(watchError) })}</StateLabel>
          </p>
        )}
        {folder.paused ? <EmptyNote>{t('problems.paused')}</EmptyNote> : <Errors folder={folder} />}
      </Section>
      <Section title={t('conflicts.title')}>
        <Conflicts folder={folder} />
      </Section>
    </>
  )
}

function Errors({ folder }: { readonly folder: FolderConfig }) {
  const isRunning = useLive((state) => lookUp(state.folders, folder.id)?.status.state !== '')
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
          <EmptyNote>{t('problems.none')}</EmptyNote>
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

/** The items of one cause, with its remedy. Items without a source are one line without an error. */
function Group({ folder, group: { code, problems } }: { readonly folder: FolderConfig; readonly group: CauseGroup }) {
  const state = useLive((value) => value)
  const facts = folderState(state, folder)
  const isWaiting = code === 'noSource'
  const title = isWaiting && facts.code === 'sourceOffline' ? folderText(facts, state) : t(`cause.${code}`)
  return (
    <details class="problem" open={!isWaiting && problems.length <= GROUP_OPEN_MAX}>
      <summary>
        <StateLabel tone={isWaiting ? 'away' : 'bad'}>{title}</StateLabel>
        <span class="soft">{t('count.items', { n: problems.length })}</span>
      </summary>
      <p class="soft">{t(`remedy.${code}`)}</p>
      <ul class="problem-items">
        {problems.map(({ path, error }) => (
          <li key={path}>
            <PathButton folder={folder.id} path={path} />
            {code === 'other' && <span class="soft">{errorText(error)}</span>}
          </li>
        ))}
      </ul>
    </details>
  )
}
