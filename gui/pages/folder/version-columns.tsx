import { formatMoment, formatSize } from '../../i18n/format.ts'
import { baseName, directoryOf } from '../../base/paths.ts'
import type { VersionedFile } from '../../view-model/versions.ts'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/table-props.ts'
import { visibleName } from '../../base/visible-name.ts'
import { t } from '../../i18n/texts.ts'

export interface VersionActions {
  /** The time of the version of a file that would be restored. */
  readonly timeOf: (path: string) => string
  readonly onTime: (path: string, time: string) => void
  readonly onRestore: (path: string) => unknown
}

/** One file per row, with a choice of its versions. */
export function versionColumns({ timeOf, onTime, onRestore }: VersionActions): readonly Column<VersionedFile>[] {
  return [
    {
      id: 'name',
      title: t('files.name'),
      phone: 'name',
      sorts: true,
      cell: ({ path }) => (
        <span class="files-path" title={visibleName(path)}>
          <span class="soft">{visibleName(directoryOf(path))}</span>
          <span class="files-base">{visibleName(baseName(path))}</span>
        </span>
      ),
    },
    {
      id: 'time',
      title: t('versions.version'),
      phone: 'line',
      width: '252px',
      sorts: true,
      cell: (file) => <Choice file={file} time={timeOf(file.path)} onTime={(time) => onTime(file.path, time)} />,
    },
    {
      id: 'bytes',
      title: t('files.size'),
      isNumber: true,
      width: '96px',
      cell: ({ path, versions }) => {
        const version = versions.find(({ versionTime }) => versionTime === timeOf(path))
        return version && formatSize(version.size)
      },
    },
    {
      id: 'actions',
      title: t('do.actions'),
      isUntitled: true,
      phone: 'action',
      width: '124px',
      cell: ({ path }) => (
        <Button
          needs="operate"
          icon="changes"
          label={t('versions.restoreName', { name: path })}
          onClick={() => onRestore(path)}
        >
          {t('versions.restore')}
        </Button>
      ),
    },
  ]
}

interface ChoiceProps {
  readonly file: VersionedFile
  readonly time: string
  readonly onTime: (time: string) => void
}

function Choice({ file: { path, versions }, time, onTime }: ChoiceProps) {
  if (versions.length === 1) return <>{momentOf(time)}</>
  return (
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
  )
}

function momentOf(time: string): string {
  return formatMoment(Date.parse(time))
}
