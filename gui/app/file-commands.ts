import type { FoundAnywhere } from '../../src/client/search.ts'
import { folderName } from '../view-model/folder-name.ts'
import { client } from '../live/client.ts'
import { useDebounced } from '../base/use-debounced.ts'
import { live } from '../live/live.ts'
import { useQuery } from '../live/query.ts'
import { openFile } from '../pages/folder/file-drawer.tsx'
import { visibleName } from '../base/visible-name.ts'
import type { Command } from './command.ts'

const LENGTH_MIN = 2
const FOUND_MAX = 20

interface FoundFiles {
  readonly text: string
  readonly items: readonly FoundAnywhere[]
}

/** Files and directories of all folders whose names contain what is typed, as they are found. */
export function useFileCommands(typed: string): { readonly files: readonly Command[]; readonly isSearching: boolean } {
  const text = useDebounced(typed.trim())
  const { value, isPartial, error } = useQuery<FoundFiles>(text, async (signal, onPart) => {
    let found: FoundFiles = { text, items: [] }
    if (text.length < LENGTH_MIN) return found
    for await (const { items } of client.find(text, { limit: FOUND_MAX, signal })) onPart((found = { text, items }))
    return found
  })
  if (value === undefined || value.text !== typed.trim()) return { files: [], isSearching: false }
  const folders = live.get().config?.folders ?? []
  const files = value.items.map(({ folder, name, type }): Command => {
    const found = folders.find(({ id }) => id === folder)
    return {
      id: `file ${folder} ${name}`,
      text: visibleName(name),
      kind: found === undefined ? folder : folderName(found),
      icon: type === 'directory' ? 'folder' : 'file',
      run: () => openFile(folder, name),
    }
  })
  return { files, isSearching: isPartial === true && error === undefined }
}
