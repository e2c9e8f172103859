import type { IgnorePreviewJson } from '../../../src/rest/twinfold.ts'
import { formatCount } from '../../i18n/format.ts'
import { StateLabel } from '../../ui/parts.tsx'
import { visibleName } from '../../base/visible-name.ts'
import { t } from '../../i18n/texts.ts'

type Line = IgnorePreviewJson['lines'][number]

/** What is wrong with the patterns, and in which line. */
export function IgnoresError({ error, errorLine }: Pick<IgnorePreviewJson, 'error' | 'errorLine'>) {
  if (error === null) return null
  const text = errorLine === null ? error : t('ignores.errorLine', { line: String(errorLine), reason: error })
  return (
    <p class="ignores-error" role="alert">
      <StateLabel tone="bad">{text}</StateLabel>
    </p>
  )
}

/** What each line of the patterns decides about, with examples. */
export function IgnoresPreview({
  preview,
  lines,
}: {
  readonly preview: IgnorePreviewJson
  readonly lines: readonly string[]
}) {
  if (preview.error !== null) return null
  const shown = preview.lines.filter(({ kind }) => kind !== 'other')
  if (shown.length === 0) return <p class="soft">{t('ignores.empty')}</p>
  return (
    <>
      <p role="status">
        {t('ignores.total', { ignored: formatCount(preview.ignoredTotal), checked: formatCount(preview.checkedTotal) })}
        {preview.truncated && ` ${t('ignores.truncated')}`}
      </p>
      <ol class="ignores-lines">
        {shown.map((line) => (
          <li key={line.line}>
            <div class="ignores-line">
              <span class="soft">{t('ignores.line', { line: String(line.line) })}</span>
              <code>{lines[line.line - 1]}</code>
            </div>
            <div class={line.matches === 0 ? 'soft' : undefined}>{wordsFor(line)}</div>
            {line.examples.length > 0 && (
              <ul class="ignores-examples">
                {line.examples.map((name) => (
                  <li key={name}>{visibleName(name)}</li>
                ))}
                {line.matches > line.examples.length && <li>…</li>}
              </ul>
            )}
          </li>
        ))}
      </ol>
    </>
  )
}

function wordsFor({ kind, matches }: Line): string {
  if (kind === 'include' && matches === 0) return t('ignores.includes')
  if (matches === 0) return t('ignores.nothing')
  return t(kind === 'keep' ? 'ignores.keeps' : 'ignores.ignores', { n: matches })
}
