/** Change events of a folder tree. Paths are relative to the root, slash-separated. */
export type WatchEvent =
  | { readonly kind: 'changed'; readonly path: string }
  /** Removed or moved away. */
  | { readonly kind: 'removed'; readonly path: string }
  /** Events were lost; a scan of the whole folder is needed. */
  | { readonly kind: 'overflow' }
  /** A file system in the tree was unmounted: what is mounted there now is not watched. */
  | { readonly kind: 'unmounted' }

export interface WatchRequest {
  readonly root: string
  readonly ignoreLines: readonly string[] | undefined
}

/** Watches a tree for changes, from `open` until it is disposed. */
export interface Watcher {
  /** Rejects when the tree cannot be watched; the message names the number needed and the number allowed. */
  watch(
    request: WatchRequest,
    onEvent: (event: WatchEvent) => void,
    onFailure: (error: Error) => void,
  ): Promise<AsyncDisposable>
  /** The watches of this process, and how many the system allows a user; undefined where it has no such limit. */
  budget?(): WatchBudget | undefined
}

export interface WatchBudget {
  readonly used: number
  readonly allowed: number
}
