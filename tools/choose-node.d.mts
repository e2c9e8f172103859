export interface OwnNode {
  readonly version: string
  readonly hasSqlite: boolean
  readonly stripsTypes: boolean
  readonly platform: string
  readonly arch: string
  readonly isMusl: boolean
}

export type NodeChoice =
  | { readonly kind: 'own' }
  /** `path`: the program, from tools/node. */
  | { readonly kind: 'pinned'; readonly path: readonly string[]; readonly reason: string }
  | { readonly kind: 'none'; readonly message: string }

export const NODE_MAJOR_MIN: number
export const DAEMON_FLAGS: readonly string[]
export const DAEMON_ENVIRONMENT: { readonly MALLOC_ARENA_MAX: string }
export const PINNED_NODE: Readonly<Record<string, string>>
export function chooseNode(own: OwnNode): NodeChoice
