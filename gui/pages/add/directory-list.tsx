import { childrenOf, directoryOf, parentOf } from '../../view-model/folder-path.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { useQuery } from '../../live/query.ts'
import { Button } from '../../ui/button.tsx'
import { visibleName } from '../../base/visible-name.ts'
import { t } from '../../i18n/texts.ts'

const SHOWN_MAX = 200

/** The directories of the daemon's machine at a path, to walk through and choose from. */
export function DirectoryList({
  path,
  onChoose,
}: {
  readonly path: string
  readonly onChoose: (path: string) => void
}) {
  const { tilde = '', pathSeparator = '/' } = useLive((state) => state.system) ?? {}
  const base = directoryOf(path, tilde, pathSeparator)
  const { value } = useQuery(base, async (signal) => ({
    base,
    found: await client.call('GET /rest/system/browse', { query: { current: base }, signal }),
  }))
  const children = value?.base === base ? childrenOf(value.found, pathSeparator).slice(0, SHOWN_MAX) : undefined
  const parent = parentOf(base, pathSeparator)
  return (
    <fieldset class="add-directories">
      <legend>{t('add.directories', { path: base })}</legend>
      <ul>
        {parent !== undefined && (
          <li>
            <Button kind="quiet" icon="up" onClick={() => onChoose(parent)}>
              {t('add.up')}
            </Button>
          </li>
        )}
        {children?.map(({ name, path: child }) => (
          <li key={child}>
            <Button kind="quiet" icon="folder" onClick={() => onChoose(child)}>
              {visibleName(name)}
            </Button>
          </li>
        ))}
      </ul>
      {children?.length === 0 && <p class="soft">{t('add.noDirectories')}</p>}
    </fieldset>
  )
}
