import { useEffect } from 'preact/hooks'
import { Store } from '../../base/store.ts'

/** The files that a list shows, in its order, so that the details of one lead to those of the next. */
export interface Neighbours {
  readonly folder: string
  readonly paths: readonly string[]
  /** Brings the row of a path into sight, so that more of the list is loaded. */
  readonly reveal: (path: string) => void
}

export const neighbours = new Store<Neighbours | undefined>(undefined)

/** Offers the files of a list for as long as it is shown. */
export function useAsNeighbours(
  folder: string,
  paths: readonly string[],
  reveal: (path: string) => void = () => {},
): void {
  const key = paths.join('\0')
  useEffect(() => neighbours.set({ folder, paths, reveal }), [folder, key])
  useEffect(() => () => neighbours.set(undefined), [folder])
}

/** The file before or after another one; undefined at the ends, and for one that the list does not show. */
export function neighbourOf(list: Neighbours | undefined, path: string, step: 1 | -1): string | undefined {
  const at = list?.paths.indexOf(path) ?? -1
  return at === -1 ? undefined : list?.paths[at + step]
}
