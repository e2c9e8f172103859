import { fieldsOf } from '../config/field.ts'
import { parseFolderId, type FolderId } from '../ids.ts'
import { isCanonical } from '../paths.ts'
import type { RewindMode } from './step.ts'

const STATES = ['running', 'done', 'failed', 'stopped'] as const
type RewindState = (typeof STATES)[number]

/** What a rewind has done so far. */
export interface RewindTotals {
  /** Items put, replaced or set. */
  readonly rewound: number
  readonly bytes: number
  /** Items of an earlier rewind that were removed. */
  readonly removed: number
  /** Items that are as they were, newer than the moment, or changed since the rewind began. */
  readonly left: number
  /** Items whose content is nowhere. */
  readonly gone: number
  readonly failed: number
}

export const NO_TOTALS: RewindTotals = { rewound: 0, bytes: 0, removed: 0, left: 0, gone: 0, failed: 0 }

/** One rewind, as the journal keeps it. Of each folder the last one is kept. */
export interface RewindEntry {
  readonly folder: FolderId
  /** '' is the whole folder. */
  readonly path: string
  readonly momentMs: number
  readonly mode: RewindMode
  /** Where the items of `beside` are; empty in place. */
  readonly beside: string
  readonly state: RewindState
  readonly startedMs: number
  readonly endedMs: number
  /** Records with a higher sequence number were changed since the rewind began, by it or by somebody else. */
  readonly startSequence: number
  readonly totals: RewindTotals
  /** Why it waits, or has failed. */
  readonly error: string
  /** The first items that failed or whose content is gone, with the reason. */
  readonly problems: readonly { readonly path: string; readonly reason: string }[]
}

export function rewindJournalText(entries: readonly RewindEntry[]): string {
  return `${JSON.stringify({ rewinds: entries }, undefined, 2)}\n`
}

/** What cannot be read counts as no rewind. */
export function parseRewindJournal(text: string): readonly RewindEntry[] {
  try {
    const { rewinds } = fieldsOf(JSON.parse(text))
    return Array.isArray(rewinds) ? rewinds.flatMap((each) => parseEntry(each) ?? []) : []
  } catch {
    return []
  }
}

function parseEntry(read: unknown): RewindEntry | undefined {
  const fields = fieldsOf(read)
  const folder = parseFolderId(textOf(fields['folder']))
  const state = STATES.find((each) => each === fields['state'])
  const [path, beside] = [textOf(fields['path']), textOf(fields['beside'])]
  const mode = fields['mode'] === 'beside' ? 'beside' : 'in-place'
  if (folder === undefined || state === undefined || typeof fields['startSequence'] !== 'number') return undefined
  if (path !== '' && !isCanonical(path)) return undefined
  if ((mode === 'beside') !== (beside !== '') || (beside !== '' && !isCanonical(beside))) return undefined
  const totals = fieldsOf(fields['totals'])
  const count = (name: keyof RewindTotals) => numberOf(totals[name])
  return {
    folder,
    path,
    momentMs: numberOf(fields['momentMs']),
    mode,
    beside,
    state,
    startedMs: numberOf(fields['startedMs']),
    endedMs: numberOf(fields['endedMs']),
    startSequence: numberOf(fields['startSequence']),
    totals: {
      rewound: count('rewound'),
      bytes: count('bytes'),
      removed: count('removed'),
      left: count('left'),
      gone: count('gone'),
      failed: count('failed'),
    },
    error: textOf(fields['error']),
    problems: Array.isArray(fields['problems']) ? fields['problems'].map(problemOf) : [],
  }
}

function problemOf(read: unknown): RewindEntry['problems'][number] {
  const fields = fieldsOf(read)
  return { path: textOf(fields['path']), reason: textOf(fields['reason']) }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
