import { Store } from './store.ts'

const KEPT = 'twinfold-upgrade-dismissed'

/** The version whose notice a person does not want to see any more, in this browser; empty for none. */
export const dismissedUpgrade = new Store<string>(kept())

export function dismissUpgrade(version: string): void {
  try {
    localStorage.setItem(KEPT, version)
  } catch {
    // A browser that keeps nothing forgets it with the page.
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
