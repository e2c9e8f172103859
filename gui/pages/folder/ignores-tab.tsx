import { useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import { changeConfig } from '../../app/run-action.ts'
import { ignoreLines, ignoreText } from '../../view-model/ignores.ts'
import { useQuery } from '../../live/query.ts'
import { client } from '../../live/client.ts'
import { useDebounced } from '../../base/use-debounced.ts'
import { Button } from '../../ui/button.tsx'
import { PlanView } from '../../ui/plan.tsx'
import { t } from '../../i18n/texts.ts'
import { QueryResult } from './query-result.tsx'
import { IgnoresError, IgnoresPreview } from './ignores-preview.tsx'
import { LineEditor } from './line-editor.tsx'

/** The ignore patterns of a folder, and what they would leave out. */
export function IgnoresTab({ folder }: { readonly folder: FolderConfig }) {
  const query = useQuery('', async (signal) =>
    ignoreText((await client.call('GET /rest/db/ignores', { query: { folder: folder.id }, signal })).ignore),
  )
  return (
    <QueryResult query={query}>
      {(saved) => <Editor folder={folder.id} saved={saved} again={query.again} />}
    </QueryResult>
  )
}

function Editor({
  folder,
  saved,
  again,
}: {
  readonly folder: string
  readonly saved: string
  readonly again: () => void
}) {
  /** The edited text; undefined before the first edit, so that the file is shown. */
  const [typed, setTyped] = useState<string>()
  const text = typed ?? saved
  const tried = useDebounced(text)
  const preview = useQuery(tried, async (signal) => {
    const body = { lines: ignoreLines(tried) }
    return { tried, ...(await client.call('POST /rest/twinfold/ignore-preview', { query: { folder }, body, signal })) }
  })
  const isChanged = typed !== undefined && typed !== saved
  const error = preview.value?.error ?? undefined
  const save = async () => {
    const put = () => client.call('POST /rest/db/ignores', { query: { folder }, body: { ignore: ignoreLines(text) } })
    const done = await changeConfig(put, t('ignores.saved'), again)
    if (!done) return
    setTyped(undefined)
    again()
  }
  return (
    <div class="ignores">
      <div>
        <LineEditor
          label={t('ignores.title')}
          help={t('ignores.help')}
          text={text}
          onText={setTyped}
          wrongLine={preview.value?.errorLine ?? undefined}
        />
        {preview.value && <IgnoresError {...preview.value} />}
        {isChanged && preview.value?.tried === tried && error === undefined && (
          <PlanView plans={[{ folder, action: 'ignores', lines: ignoreLines(tried) }]} />
        )}
        <div class="ignores-actions">
          <Button needs="admin" kind="primary" disabled={!isChanged || error !== undefined} onClick={save}>
            {t('do.save')}
          </Button>
          {isChanged && <Button onClick={() => setTyped(undefined)}>{t('ignores.undo')}</Button>}
        </div>
      </div>
      <section class="ignores-preview" aria-label={t('ignores.preview')}>
        <h2>{t('ignores.preview')}</h2>
        <QueryResult query={preview}>
          {(value) => <IgnoresPreview preview={value} lines={ignoreLines(tried)} />}
        </QueryResult>
      </section>
    </div>
  )
}
