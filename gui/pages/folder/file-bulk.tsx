import { useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import { runAction } from '../../app/run-action.ts'
import { itemFacts } from '../../view-model/item-state.ts'
import { client } from '../../live/client.ts'
import { Button } from '../../ui/button.tsx'
import { BulkBar, type Selection } from '../../ui/selection.tsx'
import { visibleName } from '../../base/visible-name.ts'
import { t } from '../../i18n/texts.ts'
import { downloadFirst } from './download-first.ts'
import type { FileLine } from './file-columns.tsx'

type Picked = ReadonlyMap<string, FileLine>

const NONE: Picked = new Map()

export interface FileSelection {
  /** Undefined where nothing can be done with several files. */
  readonly selection: Selection<FileLine> | undefined
  readonly picked: Picked
  readonly clear: () => void
}

/** The chosen files of a folder; those that are out of sight stay chosen. */
export function useFileSelection(folder: FolderConfig, linesInSight: readonly FileLine[]): FileSelection {
  const [picked, setPicked] = useState(NONE)
  const onPick = (paths: ReadonlySet<string>) => {
    const lines = [...picked.values(), ...linesInSight].filter(({ path }) => paths.has(path))
    setPicked(new Map(lines.map((line) => [line.path, line])))
  }
  const selection = { picked: new Set(picked.keys()), onPick, nameOf: ({ path }: FileLine) => visibleName(path) }
  return { selection: folder.paused ? undefined : selection, picked, clear: () => setPicked(NONE) }
}

/** What can be done with several files at once. */
export function FileBulk({ folder, files }: { readonly folder: FolderConfig; readonly files: FileSelection }) {
  const { picked, clear } = files
  const needed = [...picked].filter(([, { item }]) => mayPrioritize(item, folder)).map(([path]) => path)
  const rescan = () =>
    runAction(() => client.scan(folder.id, { subs: [...picked.keys()] }), t('table.scannedItems', { n: picked.size }))
  const first = async () => {
    await downloadFirst(folder.id, needed, t('table.first', { n: needed.length }))
    clear()
  }
  return (
    <BulkBar count={picked.size} onClear={clear}>
      <Button needs="operate" icon="sync" onClick={rescan}>
        {t('do.rescan')}
      </Button>
      {needed.length > 0 && (
        <Button needs="operate" icon="first" onClick={first}>
          {t('file.first')}
        </Button>
      )}
    </BulkBar>
  )
}

function mayPrioritize(item: FileLine['item'], folder: FolderConfig): boolean {
  return itemFacts({ ...item, isFile: item.type === 'file' }, folder).mayPrioritize
}
