import { detach } from '../../src/core/errors.ts'
import { ClientError } from '../../src/client/errors.ts'
import { errorText } from '../view-model/error-text.ts'
import { mayDo } from '../live/access.ts'
import { live, retryNow } from '../live/live.ts'
import { t } from '../i18n/texts.ts'
import { showToast } from './toasts.tsx'
import { changeWithUndo, storeUndo, undoAction, type Undo } from './undo.ts'

/**
 * Runs a user action and shows its result as a toast, with its opposite, if there is one, to undo it. Resolves to
 * whether it succeeded; never rejects.
 */
export async function runAction(
  doing: () => Promise<unknown>,
  done?: string,
  opposite?: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await doing()
    if (done !== undefined) showToast('done', done, opposite && (() => detach(runAction(opposite, t('undo.done')))))
    return true
  } catch (error) {
    showToast('failed', t('fail.action', { reason: reasonOf(error) }))
    return false
  }
}

/** The same for a change that the toast offers to undo. */
export async function changeConfig(
  doing: () => Promise<unknown>,
  done: string,
  onUndone?: () => void,
): Promise<boolean> {
  return runAction(async () => showDone(done, await changeWithUndo(doing), onUndone))
}

/** Shows that something succeeded, and offers to undo it. */
export function showDone(text: string, undo: Undo | undefined, onUndone?: () => void): void {
  if (undo === undefined) return showToast('done', text)
  storeUndo({ text, tokens: undo })
  showToast('done', text, () => detach(runUndo(undo).then(onUndone)))
}

/** Undoes an action, and shows whether it could be undone. */
export function runUndo(undo: Undo): Promise<boolean> {
  return runAction(() => undoAction(undo), t('undo.done'))
}

/** Why a request failed, as text for the user. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof ClientError)) return errorText(error instanceof Error ? error.message : String(error))
  if (error.failure === 'unreachable' || error.failure === 'timeout') return t('fail.unreachable')
  // A user with a scope is refused some actions: a login would not help.
  if (error.failure === 'refused' && !mayDo(live.get(), 'admin')) return t('access.refused')
  if (error.failure === 'refused') {
    retryNow()
    return t('fail.refused')
  }
  return errorText(error.message)
}
