/** Older entries are removed when new ones are stored. */
export const HISTORY_AGE_MS_MAX = 366 * 86_400_000

const BYTES_MIN = 16 * 1024 * 1024
/** About two entries for each item: all of them can be changed or deleted, and rewound, before the first is removed. */
const BYTES_PER_RECORD = 768

/** How large the history of an index with this many records of ours becomes. */
export function historyBytesMax(records: number): number {
  return BYTES_MIN + BYTES_PER_RECORD * records
}
