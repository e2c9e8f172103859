import { Store } from './store.ts'

const KEPT = 'twinfold-upgrade-dismissed'

/** The version whose notice was dismissed in this browser; empty for none. */
export const dismissedUpgrade = new Store<string>(kept())

export function dismissUpgrade(version: string): void {
  try {
    localStorage.setItem(KEPT, version)
  } catch {
    // Without local storage the choice lasts as long as the page.
  }
  dismissedUpgrade.set(version)
}

function kept(): string {
  try {
    return localStorage.getItem(KEPT) ?? ''
  } catch {
    return ''
  }
}
