import type { ShortId } from './ids.ts'

/** Sorted by device (unsigned), one entry per device. An empty vector is the version of a file nobody has. */
export type VersionVector = readonly { readonly device: ShortId; readonly value: bigint }[]
