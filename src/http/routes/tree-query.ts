import { TwinfoldError } from '../../core/errors.ts'
import { isCanonical } from '../../core/paths.ts'
import { parseFolderId, type FolderId } from '../../core/ids.ts'
import type { TreeOrder } from '../../model/queries/explorer-types.ts'
import type { Paging } from '../../model/types.ts'
import type { Query } from '../pipeline/query.ts'

const PER_PAGE_DEFAULT = 100

export function folderOf(query: Query<'folder'>): FolderId {
  const folder = parseFolderId(query.first('folder'))
  if (folder === undefined) throw new TwinfoldError('bad-request', 'folder is missing')
  return folder
}

export function pagingOf(query: Query<'page' | 'perpage'>): Paging {
  return { page: query.integer('page') ?? 1, perPage: query.integer('perpage') ?? PER_PAGE_DEFAULT }
}

/** The order of a directory. */
export function orderOf(query: Query<'sort' | 'descending'>): TreeOrder {
  return {
    by: choiceOf('sort', query.first('sort'), ['name', 'size', 'modified']),
    descending: flagOf('descending', query.first('descending')),
  }
}

export function flagOf(name: string, text: string | undefined): boolean {
  return choiceOf(name, text, ['false', 'true']) === 'true'
}

/** The name of an item. It need not be normalised: other devices may announce such names, which are never pulled. */
export function itemOf(name: string, text: string | undefined): string | undefined {
  if (text === undefined || isCanonical(text.normalize('NFC'))) return text
  throw new TwinfoldError('bad-request', `${name} must be a path inside the folder`)
}

/** Milliseconds; undefined when absent. */
export function timeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const timeMs = Date.parse(text)
  if (Number.isNaN(timeMs))
    throw new TwinfoldError('bad-request', `${name} must be a time such as 2026-11-15T10:00:00Z`)
  return timeMs
}

/** The first choice when the parameter is absent. */
function choiceOf<C extends string>(name: string, text: string | undefined, choices: readonly [C, ...C[]]): C {
  const chosen = text === undefined ? choices[0] : choices.find((choice) => choice === text)
  if (chosen === undefined) throw new TwinfoldError('bad-request', `${name} must be one of ${choices.join(', ')}`)
  return chosen
}
