import { useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { openDialogs } from './dialogs.tsx'

/** What was typed into dialogs that were closed without saving, by dialog and field. */
const drafts = new Map<string, Map<string, unknown>>()

/** Like `useState`, but the value returns when the dialog is opened again, until the draft is dropped. */
export function useDraft<T>(
  draft: string,
  field: string,
  initial: T | (() => T),
): readonly [T, (next: T | ((before: T) => T)) => void] {
  const [value, setValue] = useState<T>(() => {
    const kept = drafts.get(draft)
    if (kept?.has(field)) return kept.get(field) as T
    return typeof initial === 'function' ? (initial as () => T)() : initial
  })
  const change = (next: T | ((before: T) => T)) =>
    setValue((before) => {
      const after = typeof next === 'function' ? (next as (before: T) => T)(before) : next
      const fields = drafts.get(draft) ?? new Map<string, unknown>()
      drafts.set(draft, fields.set(field, after))
      return after
    })
  return [value, change]
}

/** After it was saved, or on request. */
export function dropDraft(draft: string): void {
  drafts.delete(draft)
}

export function dropAllDrafts(): void {
  drafts.clear()
}

/** Whether the dialog began with a draft. */
export function useHasDraft(draft: string): boolean {
  return useMemo(() => drafts.has(draft), [draft])
}

interface InnerPart {
  readonly dialogs: number
  readonly close: () => void
}

const parts: InnerPart[] = []

/**
 * An opened part of a dialog, which Escape closes before the dialog. A layout effect: others are cleaned up after the
 * next frame, and until then Escape would close a part that is gone.
 */
export function useInnerPart(isOpen: boolean, close: () => void): void {
  useLayoutEffect(() => {
    if (!isOpen) return
    const part = { dialogs: openDialogs.get().length, close }
    parts.push(part)
    return () => {
      parts.splice(parts.indexOf(part), 1)
    }
  }, [isOpen])
}

/** Closes the innermost part of the dialog on top; false where it has none. */
export function closeInnerPart(): boolean {
  const part = parts.findLast(({ dialogs }) => dialogs === openDialogs.get().length)
  part?.close()
  return part !== undefined
}
