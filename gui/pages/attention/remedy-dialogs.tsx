import { useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { RemediesJson } from '../../../src/rest/remedies.ts'
import { changeConfig } from '../../app/run-action.ts'
import { closeDialog } from '../../base/dialogs.tsx'
import { client } from '../../live/client.ts'
import { useQuery } from '../../live/query.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { formatPercent, formatSize } from '../../i18n/format.ts'
import { t } from '../../i18n/texts.ts'
import { folderName } from '../../view-model/folder-name.ts'
import { withoutEnd } from '../../view-model/folder-path.ts'
import { useDebounced } from '../../base/use-debounced.ts'
import { DirectoryList } from '../add/directory-list.tsx'

const UNITS = ['%', 'MB', 'GB', 'TB'] as const

interface MinimumProps {
  readonly folder: FolderConfig
  readonly space: RemediesJson[number]['space']
}

/** How much space the folder keeps free. */
export function ChangeMinimumDialog({ folder, space }: MinimumProps) {
  const [value, setValue] = useState('1')
  const [unit, setUnit] = useState<string>('%')
  const number = Number(value)
  const isValid = value.trim() !== '' && number >= 0 && (unit !== '%' || number <= 100)
  const save = async () => {
    if (!isValid) return
    const body = { minDiskFree: { value: number, unit } }
    const done = t('remedy.minimumChanged', { folder: folderName(folder) })
    if (await changeConfig(() => client.changeFolder(folder.id, body), done)) closeDialog()
  }
  const free = space === null ? undefined : Math.max(0, space.freeBytes)
  const help =
    space === null || free === undefined
      ? undefined
      : t('remedy.minimumHelp', {
          free: formatSize(free),
          percent: formatPercent(free / Math.max(1, space.totalBytes)),
        })
  return (
    <Dialog
      title={t('remedy.minimumTitle', { folder: folderName(folder) })}
      onSubmit={save}
      actions={
        <Button kind="primary" type="submit" disabled={!isValid}>
          {t('do.save')}
        </Button>
      }
    >
      <TextField label={t('form.folder.minDiskFree')} help={help} value={value} onChange={setValue} autoFocus />
      <SelectField
        label={t('remedy.unit')}
        value={unit}
        options={UNITS.map((each) => ({ value: each as string, text: each }))}
        onChange={setUnit}
      />
    </Dialog>
  )
}

/** Another path for files that are there already: nothing is copied. */
export function ChoosePlaceDialog({ folder }: { readonly folder: FolderConfig }) {
  const [path, setPath] = useState(folder.path)
  const typed = useDebounced(path)
  const { value: found } = useQuery(typed, async (signal) => {
    const listed = await client.call('GET /rest/system/browse', { query: { current: `${withoutEnd(typed)}/` }, signal })
    return { typed, hasMarker: listed.some((each) => withoutEnd(each).endsWith(`/${folder.markerName}`)) }
  })
  const isChanged = withoutEnd(path) !== withoutEnd(folder.path) && path.trim() !== ''
  const save = async () => {
    if (!isChanged) return
    const done = t('remedy.placeChosen', { folder: folderName(folder), path: withoutEnd(path) })
    if (await changeConfig(() => client.changeFolder(folder.id, { path: withoutEnd(path) }), done)) closeDialog()
  }
  const isKnown = found?.typed === path && isChanged
  return (
    <Dialog
      title={t('remedy.placeTitle', { folder: folderName(folder) })}
      wide
      onSubmit={save}
      actions={
        <Button kind="primary" type="submit" disabled={!isChanged}>
          {t('do.save')}
        </Button>
      }
    >
      <p class="soft">{t('remedy.placeHelp')}</p>
      <TextField
        label={t('add.path')}
        help={isKnown ? t(found.hasMarker ? 'remedy.placeMarked' : 'remedy.placeUnmarked') : undefined}
        warns={isKnown && !found.hasMarker}
        value={path}
        onChange={setPath}
        autoFocus
      />
      <DirectoryList path={path} onChoose={setPath} />
    </Dialog>
  )
}
