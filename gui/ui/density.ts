import { Store } from '../base/store.ts'

/** The height of the rows of tables: 32 or 40 px. */
export type Density = 'compact' | 'comfortable'

const KEPT = 'twinfold-density'

export const density = new Store<Density>(kept())
show(density.get())

export function chooseDensity(chosen: Density): void {
  try {
    localStorage.setItem(KEPT, chosen)
  } catch {
    // Without local storage the choice lasts as long as the page.
  }
  show(chosen)
  density.set(chosen)
}

function show(chosen: Density): void {
  document.documentElement.dataset['density'] = chosen
}

function kept(): Density {
  try {
    return localStorage.getItem(KEPT) === 'comfortable' ? 'comfortable' : 'compact'
  } catch {
    return 'compact'
  }
}
