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

/** Files and directories of all folders whose names contain what is typed. */
export function useFileCommands(typed: string): readonly Command[] {
  const text = useDebounced(typed.trim())
  const { value } = useQuery(text, async (signal) => {
    if (text.length < LENGTH_MIN) return { text, items: [] }
    const { items } = await client.call('GET /rest/twinfold/find', { query: { text, limit: FOUND_MAX }, signal })
    return { text, items }
  })
  if (value === undefined || value.text !== typed.trim()) return []
  const folders = live.get().config?.folders ?? []
  return value.items.map(({ folder, name, type }) => {
    const found = folders.find(({ id }) => id === folder)
    return {
      id: `file ${folder} ${name}`,
      text: visibleName(name),
      kind: found === undefined ? folder : folderName(found),
      icon: type === 'directory' ? 'folder' : 'file',
      run: () => openFile(folder, name),
    }
  })
}
