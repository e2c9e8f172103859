import { useState } from 'preact/hooks'
import { pathTrouble, wholePath } from '../../view-model/folder-path.ts'
import { formatSize } from '../../i18n/format.ts'
import { pathAdvice, type PathAdvice } from '../../view-model/path-advice.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { useQuery } from '../../live/query.ts'
import { useInnerPart } from '../../base/draft.ts'
import { useDebounced } from '../../base/use-debounced.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { t } from '../../i18n/texts.ts'
import { DirectoryList } from './directory-list.tsx'

const SUGGESTIONS_MAX = 50

/** What the page and the daemon know about the path, and directories that begin with it. */
export interface CheckedPath {
  readonly advice: PathAdvice
  readonly suggestions: readonly string[]
}

/** Asks the daemon about the path while it is typed. */
export function useCheckedPath(path: string): CheckedPath {
  const typed = useDebounced(path)
  const folders = useLive((state) => state.config?.folders) ?? []
  const { tilde = '', pathSeparator = '/' } = useLive((state) => state.system) ?? {}
  const { value } = useQuery(typed, async (signal) => {
    const query = { current: typed }
    const [found, check] = await Promise.all([
      client.call('GET /rest/system/browse', { query, signal }),
      typed.trim() === ''
        ? undefined
        : client.call('POST /rest/twinfold/check-folder', { query: { path: typed.trim() }, signal }),
    ])
    return { typed, found, check }
  })
  const trouble = pathTrouble(path, folders, tilde, pathSeparator)
  const check = value?.typed === path ? value.check : undefined
  return {
    advice: pathAdvice(wholePath(path, tilde, pathSeparator), trouble, check, formatSize),
    suggestions: value?.found.slice(0, SUGGESTIONS_MAX) ?? [],
  }
}

/** Where a folder is: directories of the daemon's machine are suggested as the user types, and can be browsed. */
export function PathField({
  path,
  checked: { advice, suggestions },
  isShown,
  onChange,
}: {
  readonly path: string
  readonly checked: CheckedPath
  /** Whether an error is shown already; before the first input it is not. */
  readonly isShown: boolean
  readonly onChange: (path: string) => void
}) {
  const text = t(advice.key, advice.values)
  const [isBrowsing, setBrowsing] = useState(false)
  useInnerPart(isBrowsing, () => setBrowsing(false))
  return (
    <>
      <div class="add-path">
        <TextField
          label={t('add.path')}
          help={advice.kind === 'error' ? t('add.pathHelp') : text}
          error={advice.kind === 'error' && isShown ? text : undefined}
          warns={advice.kind === 'warning'}
          value={path}
          list={suggestions}
          onChange={onChange}
        />
        <Button icon="folder" pressed={isBrowsing} onClick={() => setBrowsing(!isBrowsing)}>
          {t('add.browse')}
        </Button>
      </div>
      {isBrowsing && <DirectoryList path={path} onChoose={onChange} />}
    </>
  )
}
