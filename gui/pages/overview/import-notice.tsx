import { formatCount } from '../../i18n/format.ts'
import { useLive } from '../../live/live.ts'
import { Icon } from '../../ui/icon.tsx'
import { ProgressBar } from '../../ui/parts.tsx'
import { t } from '../../i18n/texts.ts'

/** The progress of the import of the index of Syncthing. Folders and connections start after it. */
export function ImportNotice() {
  const progress = useLive((state) => state.indexImport)
  if (progress === null) return null
  const { version, folder, folderNumber, folderCount, items, totalItems } = progress
  const done = t('import.progress', {
    folder,
    n: formatCount(folderNumber),
    of: formatCount(folderCount),
    items: formatCount(items),
    total: formatCount(totalItems),
  })
  return (
    <div class="section card overview-notice" role="status">
      <Icon name="sync" />
      <div>
        <p>{t('import.running', { version })}</p>
        {folder !== '' && <p>{done}</p>}
      </div>
      {totalItems > 0 && <ProgressBar fraction={items / totalItems} label={done} />}
    </div>
  )
}
