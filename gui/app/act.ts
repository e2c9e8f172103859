import { ClientError } from '../../src/client/errors.ts'
import { retryNow } from '../live/live.ts'
import { t } from '../words/words.ts'
import { showToast } from './toasts.tsx'

/** Runs a user action and shows its result as a toast. Resolves to whether it succeeded; never rejects. */
export async function act(doing: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await doing()
    if (done !== undefined) showToast('done', done)
    return true
  } catch (error) {
    showToast('failed', t('fail.action', { reason: reasonOf(error) }))
    return false
  }
}

/** Why a request failed, as text for the user. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof ClientError)) return error instanceof Error ? error.message : String(error)
  if (error.failure === 'unreachable' || error.failure === 'timeout') return t('fail.unreachable')
  if (error.failure === 'refused') {
    retryNow()
    return t('fail.refused')
  }
  return error.message
}
