import { SCOPES, type Scope } from '../../src/core/access.ts'
import { useLive } from './live.ts'
import type { LiveState } from './state.ts'

/** Whether the user of this page may do what needs a scope. */
export function mayDo({ access }: Pick<LiveState, 'access'>, needs: Scope | undefined): boolean {
  return needs === undefined || SCOPES.indexOf(access.scope) >= SCOPES.indexOf(needs)
}

/** Whether an action can be carried out: not while the daemon is unreachable. What needs no scope is no action. */
export function useCanAct(needs: Scope | undefined): boolean {
  return useLive((state) => needs === undefined || state.link !== 'lost')
}

export function useMay(needs: Scope | undefined): boolean {
  return useLive((state) => mayDo(state, needs))
}
