import { baseName, directoryOf } from '../../base/paths.ts'
import { visibleName } from '../../base/visible-name.ts'
import { openFile } from './file-drawer.tsx'

/** A path that opens the details of its file; the directory is shown less prominently. */
export function PathButton({ folder, path }: { readonly folder: string; readonly path: string }) {
  return (
    <button type="button" class="files-path" title={visibleName(path)} onClick={() => openFile(folder, path)}>
      <span class="soft">{visibleName(directoryOf(path))}</span>
      <span class="files-base">{visibleName(baseName(path))}</span>
    </button>
  )
}
