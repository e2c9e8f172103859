import { useState } from 'preact/hooks'
import type { DeviceConfig, FolderConfig } from '../../../src/core/config/config.ts'
import type { FileEntryJson } from '../../../src/rest/db.ts'
import { reasonOf } from '../../app/run-action.ts'
import { deviceName } from '../../view-model/device.ts'
import { folderName } from '../../view-model/folder-name.ts'
import { formatSize } from '../../i18n/format.ts'
import { useQuery } from '../../live/query.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { lookUp } from '../../base/look-up.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TimeAgo, EmptyNote, Skeleton } from '../../ui/parts.tsx'
import { visibleName } from '../../base/visible-name.ts'
import { t } from '../../i18n/texts.ts'

const STEP = 100

/** The items of a folder that are missing on a device. */
export function MissingItemsDialog({
  folder,
  device,
}: {
  readonly folder: FolderConfig
  readonly device: DeviceConfig
}) {
  const [shown, setShown] = useState(STEP)
  const turn = useLive((state) => lookUp(state.folders, folder.id)?.completion[device.deviceID]?.needItems ?? 0)
  const deletes = useLive((state) => lookUp(state.folders, folder.id)?.completion[device.deviceID]?.needDeletes ?? 0)
  const query = { folder: folder.id, device: device.deviceID, page: 1, perpage: shown }
  const { value, error } = useQuery(
    `${folder.id} ${device.deviceID} ${shown}`,
    (signal) => client.call('GET /rest/db/remoteneed', { query, signal }),
    `${turn} ${deletes}`,
  )
  return (
    <Dialog wide title={t('device.needTitle', { name: deviceName(device), folder: folderName(folder) })}>
      {value === undefined && error === undefined && <Skeleton />}
      {value === undefined && error !== undefined && <EmptyNote>{reasonOf(error)}</EmptyNote>}
      {value?.files.length === 0 && <EmptyNote>{t('device.needNothing')}</EmptyNote>}
      {value !== undefined && value.files.length > 0 && <MissingItemsTable files={value.files} />}
      {value !== undefined && value.files.length >= shown && (
        <Button onClick={() => setShown(shown + STEP)}>{t('device.needMore')}</Button>
      )}
    </Dialog>
  )
}

function MissingItemsTable({ files }: { readonly files: readonly FileEntryJson[] }) {
  return (
    <table class="device-table">
      <thead>
        <tr>
          <th scope="col">{t('device.needName')}</th>
          <th scope="col">{t('device.needSize')}</th>
          <th scope="col">{t('device.needChanged')}</th>
        </tr>
      </thead>
      <tbody>
        {files.map((file) => (
          <tr key={file.name}>
            <th scope="row">{visibleName(file.name)}</th>
            <td>{sizeText(file)}</td>
            <td>
              <TimeAgo time={file.modified} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function sizeText({ deleted, type, size }: FileEntryJson): string {
  if (deleted) return t('device.needDeleted')
  return type === 'FILE_INFO_TYPE_DIRECTORY' ? t('device.needDirectory') : formatSize(size)
}
