import type { DeviceId, FolderId } from '../core/ids.ts'
import { BOOLEAN, object } from './schema.ts'

/** Shapes of the routes below /rest/config. The parts themselves are those of core/config.ts. */

export const RESTART_REQUIRED = object({ requiresRestart: BOOLEAN })

export const IN_SYNC = object({ configInSync: BOOLEAN })

/** Any part of some settings, as a client sends it: ids are texts that the daemon has yet to look at. */
export type Change<T> = T extends DeviceId | FolderId
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Change<Item>[]
    : T extends object
      ? { readonly [K in keyof T]?: Change<T[K]> }
      : T
