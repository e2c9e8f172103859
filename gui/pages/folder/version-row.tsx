import { formatMoment, formatSize } from '../../facts/format.ts'
import { baseName, directoryOf } from '../../facts/paths.ts'
import type { VersionedFile } from '../../facts/versions.ts'
import { Button } from '../../ui/button.tsx'
import { visibleName } from '../../words/visible-name.ts'
import { t } from '../../words/words.ts'

export interface VersionRowProps {
  readonly file: VersionedFile
  /** Of the version that would be restored. */
  readonly time: string
  readonly isChosen: boolean
  readonly onChoose: () => void
  readonly onTime: (time: string) => void
  readonly onRestore: () => unknown
}

/** One file, with a choice of its versions. */
export function VersionRow({ file: { path, versions }, time, isChosen, onChoose, onTime, onRestore }: VersionRowProps) {
  const version = versions.find(({ versionTime }) => versionTime === time)
  return (
    <tr>
      <th scope="row">
        <label class="versions-name">
          <input
            type="checkbox"
            checked={isChosen}
            onChange={onChoose}
            aria-label={t('versions.choose', { name: path })}
          />
          <span class="files-base">
            <span class="soft">{visibleName(directoryOf(path))}</span>
            {visibleName(baseName(path))}
          </span>
        </label>
      </th>
      <td>
        {versions.length === 1 ? (
          momentOf(time)
        ) : (
          <select
            class="select"
            value={time}
            aria-label={t('versions.which', { name: path })}
            onChange={(event) => onTime(event.currentTarget.value)}
          >
            {versions.map(({ versionTime }) => (
              <option key={versionTime} value={versionTime}>
                {momentOf(versionTime)}
              </option>
            ))}
          </select>
        )}
      </td>
      <td class="number">{version && formatSize(version.size)}</td>
      <td class="files-row-actions">
        <Button label={t('versions.restoreName', { name: path })} onClick={onRestore}>
          {t('versions.restore')}
        </Button>
      </td>
    </tr>
  )
}

function momentOf(time: string): string {
  return formatMoment(Date.parse(time))
}
