import type { DeviceId, FolderId } from '../ids.ts'

/** Whose loss it is: this device's own, or that of others. */
export type GuardSide = 'local' | 'remote'

export interface HeldLoss {
  readonly sinceMs: number
  readonly origin: 'local' | DeviceId
  readonly deletions: number
  readonly truncations: number
}

/** What was not held and the user should know. */
export interface GuardNotice extends HeldLoss {
  /** `deleted`: by others, and kept as old versions. `rewritten`: files were replaced by ones that look encrypted. */
  readonly kind: 'deleted' | 'rewritten'
}

/** What is stored of a guard. */
interface GuardStored {
  readonly holds: readonly (readonly [GuardSide, HeldLoss])[]
  readonly notices: readonly GuardNotice[]
}

/** Where the state of a folder's guard is stored. */
export function guardKey(folder: FolderId): string {
  return `guard/${folder}`
}

export function encodeGuard(holds: ReadonlyMap<GuardSide, HeldLoss>, notices: readonly GuardNotice[]): Uint8Array {
  const plain = ({ sinceMs, origin, deletions, truncations }: HeldLoss): HeldLoss => ({
    sinceMs,
    origin,
    deletions,
    truncations,
  })
  const stored: GuardStored = { holds: [...holds].map(([side, hold]) => [side, plain(hold)]), notices }
  return new TextEncoder().encode(JSON.stringify(stored))
}

/** Nothing is held where the state cannot be read: the next scan and pull decide again. */
export function parseGuard(data: Uint8Array | undefined): GuardStored {
  try {
    const value: unknown = data === undefined ? {} : JSON.parse(new TextDecoder().decode(data))
    const { holds, notices } = Object(value) as Record<string, unknown>
    return {
      holds: listOf(holds).flatMap((entry) => (isHold(entry) ? [entry] : [])),
      notices: listOf(notices).flatMap((notice) => (isNotice(notice) ? [notice] : [])),
    }
  } catch {
    return { holds: [], notices: [] }
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isHold(entry: unknown): entry is GuardStored['holds'][number] {
  return Array.isArray(entry) && (entry[0] === 'local' || entry[0] === 'remote') && isLoss(entry[1])
}

function isNotice(value: unknown): value is GuardNotice {
  const kind: unknown = Object(value).kind
  return (kind === 'deleted' || kind === 'rewritten') && isLoss(value)
}

function isLoss(value: unknown): value is HeldLoss {
  const { sinceMs, origin, deletions, truncations } = Object(value) as Record<string, unknown>
  return [sinceMs, deletions, truncations].every(Number.isSafeInteger) && typeof origin === 'string'
}
