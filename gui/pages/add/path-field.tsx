import { folderName } from '../../facts/folder-name.ts'
import { pathTrouble, wholePath } from '../../facts/folder-path.ts'
import { useQuery } from '../../live/query.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { useSettled } from '../../live/settled.ts'
import { TextField } from '../../ui/field.tsx'
import { t } from '../../words/words.ts'

const SUGGESTIONS_MAX = 50

/** Why the path cannot be used; undefined when it can. */
export function usePathError(path: string): string | undefined {
  const folders = useLive((state) => state.config?.folders) ?? []
  const { tilde = '', pathSeparator = '/' } = useLive((state) => state.system) ?? {}
  if (path.trim() === '') return t('add.pathMissing')
  const whole = wholePath(path, tilde, pathSeparator)
  if (!whole.startsWith('/') && !/^[a-zA-Z]:|^\\\\/.test(whole)) return t('add.pathRelative')
  const trouble = pathTrouble(path, folders, tilde, pathSeparator)
  return trouble?.kind === 'same' ? t('add.pathTaken', { folder: folderName(trouble.folder) }) : undefined
}

/** Where a folder is: directories of the daemon's machine are suggested as the user types. */
export function PathField({
  path,
  error,
  onChange,
}: {
  readonly path: string
  readonly error: string | undefined
  readonly onChange: (path: string) => void
}) {
  const typed = useSettled(path)
  const folders = useLive((state) => state.config?.folders) ?? []
  const { tilde = '', pathSeparator = '/' } = useLive((state) => state.system) ?? {}
  const { value } = useQuery(typed, async (signal) => ({
    typed,
    found: await client.call('GET /rest/system/browse', { query: { current: typed }, signal }),
  }))
  const trouble = pathTrouble(path, folders, tilde, pathSeparator)
  const found = value?.found ?? []
  const isThere =
    value?.typed === path
      ? found.some((one) => wholePath(one, tilde, pathSeparator) === wholePath(path, tilde, pathSeparator))
      : undefined
  const help = () => {
    if (trouble?.kind === 'inside') return t('add.pathInside', { folder: folderName(trouble.folder) })
    if (trouble?.kind === 'around') return t('add.pathAround', { folder: folderName(trouble.folder) })
    if (isThere === undefined) return t('add.pathHelp')
    return isThere ? t('add.pathIsThere') : t('add.pathIsNew')
  }
  return (
    <TextField
      label={t('add.path')}
      help={help()}
      error={error}
      value={path}
      list={found.slice(0, SUGGESTIONS_MAX)}
      onChange={onChange}
    />
  )
}
