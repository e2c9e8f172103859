import { useState } from 'preact/hooks'
import { addressOf } from '../../app/address.ts'
import type { FileChange } from '../../facts/changes.ts'
import { deviceName, shortId } from '../../facts/device.ts'
import { folderName } from '../../facts/folder-name.ts'
import { useLive } from '../../live/live.ts'
import { SelectField } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Ago, Empty, Skeleton } from '../../ui/parts.tsx'
import { t } from '../../words/words.ts'
import { PathButton } from '../folder/path-button.tsx'
import { useChanges } from './use-changes.ts'

/** What changed lately in all folders, as it happens. */
export function ChangesPage() {
  const [folder, setFolder] = useState('')
  const folders = useLive((state) => state.config?.folders) ?? []
  const changes = useChanges()
  const shown = changes?.filter((change) => folder === '' || change.folder === folder)
  const options = [
    { value: '', text: t('changes.all') },
    ...folders.map((each) => ({ value: String(each.id), text: folderName(each) })),
  ]
  return (
    <>
      <header class="page-head">
        <h1>{t('nav.changes')}</h1>
      </header>
      <div class="files-bar">
        <p class="soft">{t('changes.intro')}</p>
        <SelectField label={t('changes.folder')} value={folder} options={options} onChange={setFolder} />
      </div>
      {shown === undefined ? (
        <Skeleton lines={6} />
      ) : shown.length === 0 ? (
        <Empty>{t('changes.none')}</Empty>
      ) : (
        <ChangesTable changes={shown} />
      )}
    </>
  )
}

function ChangesTable({ changes }: { readonly changes: readonly FileChange[] }) {
  return (
    <table class="files-table changes-table">
      <caption class="unseen">{t('nav.changes')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('files.name')}</th>
          <th scope="col">{t('changes.what')}</th>
          <th scope="col">{t('changes.who')}</th>
          <th scope="col">{t('changes.folder')}</th>
          <th scope="col">{t('changes.when')}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <ChangeRow key={change.id} change={change} />
        ))}
      </tbody>
    </table>
  )
}

function ChangeRow({ change }: { readonly change: FileChange }) {
  const folder = useLive((state) => state.config?.folders.find(({ id }) => id === change.folder))
  const author = useLive((state) => state.config?.devices.find(({ deviceID }) => shortId(deviceID) === change.by))
  return (
    <tr>
      <th scope="row">
        <PathButton folder={change.folder} path={change.path} />
      </th>
      <td>
        <span class={change.deleted ? 'change deleted' : 'change'}>
          <Icon name={change.deleted ? 'trash' : 'changes'} size={16} />
          {t(change.deleted ? 'changes.deleted' : 'changes.modified')}
        </span>
      </td>
      <td>{author === undefined ? change.by : deviceName(author)}</td>
      <td>
        {folder === undefined ? change.folder : <a href={addressOf('folders', folder.id)}>{folderName(folder)}</a>}
      </td>
      <td>
        <Ago time={change.time} />
      </td>
    </tr>
  )
}
