import type { GuardView } from '../../model/types.ts'
import type { GuardJson, GuardSummaryJson } from '../../rest/guard.ts'
import { formatMs } from './times.ts'

export function guardJson({ enabled, trash, held, notices }: GuardView): GuardJson {
  return {
    enabled,
    trash,
    held: held.map((each) => ({ ...lossJson(each), side: each.side, examples: [...each.examples] })),
    notices: notices.map((each) => ({ ...lossJson(each), kind: each.kind })),
  }
}

/** Undefined where there is nothing to show. */
export function guardSummaryJson({ held, notices }: GuardView): GuardSummaryJson | undefined {
  if (held.length === 0 && notices.length === 0) return undefined
  return {
    held: held.map((each) => ({ ...lossJson(each), side: each.side })),
    notices: notices.map((each) => ({ ...lossJson(each), kind: each.kind })),
  }
}

function lossJson({
  origin,
  sinceMs,
  deletions,
  truncations,
}: GuardView['notices'][number] | GuardView['held'][number]) {
  return { origin, since: formatMs(sinceMs), deletions, truncations }
}
