import type { ComponentChildren } from 'preact'
import { reasonOf } from '../../app/act.ts'
import type { Asked } from '../../live/ask.ts'
import { Button } from '../../ui/button.tsx'
import { Empty, Skeleton } from '../../ui/parts.tsx'
import { t } from '../../words/words.ts'

/** What was asked for, once it is there: grey lines before, the reason if it cannot be had. */
export function Answer<T>({
  asked,
  children,
}: {
  readonly asked: Asked<T>
  readonly children: (value: T) => ComponentChildren
}) {
  if (asked.value !== undefined) return <>{children(asked.value)}</>
  if (asked.error === undefined) return <Skeleton lines={5} />
  return (
    <Empty action={<Button onClick={asked.again}>{t('problems.retry')}</Button>}>
      {t('fold.failed', { reason: reasonOf(asked.error) })}
    </Empty>
  )
}

/** Asks for the rest of a list that comes page by page. */
export function More({ left, onMore }: { readonly left: number; readonly onMore: () => void }) {
  return left > 0 ? (
    <div class="files-more">
      <Button onClick={onMore}>{t('files.more', { n: left })}</Button>
    </div>
  ) : null
}
