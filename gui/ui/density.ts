import { StoredChoice } from '../base/stored-choice.ts'

/** The height of the rows of tables: 32 or 40 px. */
export type Density = 'compact' | 'comfortable'

export const density = new StoredChoice<Density>('twinfold-density', (stored) =>
  stored === 'comfortable' ? stored : 'compact',
)
show()
density.subscribe(show)

function show(): void {
  document.documentElement.dataset['density'] = density.get()
}
