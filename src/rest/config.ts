import type { DeviceId, FolderId } from '../core/ids.ts'
import { BOOLEAN, object } from './schema.ts'

/** Schemas of the routes below /rest/config. Those of its parts are derived from core/config. */

export const RESTART_REQUIRED = object({ requiresRestart: BOOLEAN })

export const IN_SYNC = object({ configInSync: BOOLEAN })

/** Any part of some settings, as a client sends it: ids are strings that the daemon has not validated yet. */
export type Change<T> = T extends DeviceId | FolderId
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Change<Item>[]
    : T extends object
      ? { readonly [K in keyof T]?: Change<T[K]> }
      : T
