import { runAction } from '../../app/run-action.ts'
import { formatSize } from '../../i18n/format.ts'
import { client } from '../../live/client.ts'
import { useQuery } from '../../live/query.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { t } from '../../i18n/texts.ts'

/** What old versions occupy, and the action that removes all of them; it asks. */
export function TrashBar({ folder, onEmptied }: { readonly folder: string; readonly onEmptied: () => void }) {
  const { value } = useQuery(folder, (signal) =>
    client.call('GET /rest/twinfold/trash', { query: { folder, perpage: 0 }, signal, timeoutMs: undefined }),
  )
  if (value === undefined || value.files === 0) return null
  const { files: n, sizeBytes, maxBytes } = value
  const size = formatSize(sizeBytes)
  const empty = async () => {
    const question = { title: t('trash.emptyTitle', { n }), text: t('trash.emptyText', { size }) }
    if (!(await confirm({ ...question, action: t('trash.empty'), danger: true }))) return
    const done = t('trash.emptied', { n, size })
    const request = () => client.call('POST /rest/twinfold/trash/empty', { query: { folder }, body: {} })
    if (await runAction(request, done)) onEmptied()
  }
  return (
    <>
      <span class="soft">
        {maxBytes === null ? t('trash.used', { n, size }) : t('trash.usedOf', { n, size, most: formatSize(maxBytes) })}
      </span>
      <Button needs="admin" icon="trash" onClick={empty}>
        {t('trash.empty')}
      </Button>
    </>
  )
}
