import { baseName, directoryOf } from '../../base/paths.ts'
import { visibleName } from '../../base/visible-name.ts'
import { CutName } from '../../ui/cut-name.tsx'
import type { Column } from '../../ui/table-props.ts'
import { openFile } from './file-drawer.tsx'

/** A path that opens the details of its file; the directory is shown less prominently. */
export function PathButton({ folder, path }: { readonly folder: string; readonly path: string }) {
  return (
    <button type="button" class="files-path" title={visibleName(path)} onClick={() => openFile(folder, path)}>
      <span class="soft">{visibleName(directoryOf(path))}</span>
      <CutName kind="files-base" name={baseName(path)} />
    </button>
  )
}

/** The column of such paths. */
export function pathColumn<R extends { readonly name: string }>(folder: string, title: string): Column<R> {
  return { id: 'name', title, phone: 'name', cell: ({ name }) => <PathButton folder={folder} path={name} /> }
}
