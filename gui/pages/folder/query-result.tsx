import type { ComponentChildren } from 'preact'
import { reasonOf } from '../../app/run-action.ts'
import type { QueryState } from '../../live/query.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyNote, Skeleton } from '../../ui/parts.tsx'
import { t } from '../../i18n/texts.ts'

/** The result of a query: a placeholder while it is loading, the reason if it failed. */
export function QueryResult<T>({
  query,
  children,
}: {
  readonly query: QueryState<T>
  readonly children: (value: T) => ComponentChildren
}) {
  if (query.value !== undefined) return <>{children(query.value)}</>
  if (query.error === undefined) return <Skeleton lines={5} />
  return (
    <EmptyNote action={<Button onClick={query.again}>{t('problems.retry')}</Button>}>
      {t('fold.failed', { reason: reasonOf(query.error) })}
    </EmptyNote>
  )
}
