import type { IndexImportJson } from '../../rest/index-import.ts'
import type { IndexImportView } from '../types.ts'

export function indexImportJson(view: IndexImportView | undefined): IndexImportJson {
  return view === undefined ? null : { ...view, folder: view.folder ?? '' }
}
