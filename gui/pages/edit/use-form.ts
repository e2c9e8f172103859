import { useRef, useState } from 'preact/hooks'
import { reasonOf, showDone } from '../../app/run-action.ts'
import { changeWithUndo } from '../../app/undo.ts'
import { useDraft } from '../../base/draft.ts'
import { changesIn, wrongsIn, type FormEdits, type FormField, type FieldError } from '../../view-model/form.ts'

/** A part of the config while it is edited. */
export interface Form {
  readonly fields: readonly FormField[]
  readonly part: unknown
  readonly edits: FormEdits
  readonly wrongs: ReadonlyMap<string, FieldError>
  readonly set: (name: string, value: string | boolean) => void
}

export function useForm(
  fields: readonly FormField[],
  part: unknown,
  /** Keeps the edits while the dialog is closed. */
  draft: string,
  initial: FormEdits = {},
): Form & { readonly changes: Readonly<Record<string, unknown>> } {
  const [edits, setEdits] = useDraft<FormEdits>(draft, 'edits', initial)
  return {
    fields,
    part,
    edits,
    wrongs: wrongsIn(fields, part, edits),
    changes: changesIn(fields, part, edits),
    set: (name, value) => setEdits((before) => ({ ...before, [name]: value })),
  }
}

/** The result of a save: nothing, or the error of the daemon. Edits are kept. */
export function useSaving(): {
  readonly refusal: string
  readonly busy: boolean
  readonly save: (doing: () => Promise<unknown>) => Promise<boolean>
  /** Saves a change of the configuration, and offers to undo it. */
  readonly saveConfig: (doing: () => Promise<unknown>, done: string) => Promise<boolean>
} {
  const [refusal, setRefusal] = useState('')
  const [busy, setBusy] = useState(false)
  const running = useRef(false)
  const save = async (doing: () => Promise<unknown>) => {
    if (running.current) return false
    running.current = true
    setBusy(true)
    try {
      await doing()
      setRefusal('')
      return true
    } catch (error) {
      setRefusal(reasonOf(error))
      return false
    } finally {
      running.current = false
      setBusy(false)
    }
  }
  const saveConfig = (doing: () => Promise<unknown>, done: string) =>
    save(async () => showDone(done, await changeWithUndo(doing)))
  return { refusal, busy, save, saveConfig }
}
