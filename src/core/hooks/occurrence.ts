import type { HookCondition } from './hook.ts'

/** What a hook reports. */
export interface Occurrence {
  readonly folder: { readonly id: string; readonly label: string } | undefined
  readonly device: { readonly id: string; readonly name: string } | undefined
  /** For people, in English. */
  readonly text: string
  /** For programs: values that depend on the condition. */
  readonly details: Readonly<Record<string, unknown>>
}

/** An occurrence that waits for its delivery. */
export interface Delivery extends Occurrence {
  /** The same in every attempt, so that a receiver can drop what it has. */
  readonly id: string
  readonly hookId: string
  readonly on: HookCondition
  readonly timeMs: number
  /** The number of attempts that failed. */
  readonly attempts: number
  readonly nextMs: number
  /** The number of changed paths in the file beside; undefined: there is none. */
  readonly paths: number | undefined
  /** Whether these are all. */
  readonly isPathsComplete: boolean
}

/** What happened to a delivery. */
export interface HookLogEntry {
  readonly timeMs: number
  readonly id: string
  readonly text: string
  readonly outcome: 'delivered' | 'failed' | 'dropped'
  /** The status of the server, the exit of the program, or why it failed. */
  readonly detail: string
}

const DAY_MS = 86_400_000

export function folderText({ id, label }: { readonly id: string; readonly label: string }, isFirst = true): string {
  return `${isFirst ? 'Folder' : 'folder'} "${label === '' ? id : label}"`
}

export function deviceText(
  { id, name, lastSeenMs }: { readonly id: string; readonly name: string; readonly lastSeenMs: number },
  nowMs: number,
): string {
  const days = Math.floor((nowMs - lastSeenMs) / DAY_MS)
  const since = lastSeenMs === 0 ? 'has never connected' : `was last seen ${days === 1 ? '1 day' : `${days} days`} ago`
  return `Device "${name === '' ? id.slice(0, 7) : name}" ${since}`
}
