import { StoredChoice } from './stored-choice.ts'

export type Theme = 'auto' | 'light' | 'dark'

export const theme = new StoredChoice<Theme>('twinfold-theme', (stored) =>
  stored === 'light' || stored === 'dark' ? stored : 'auto',
)
show()
theme.subscribe(show)

/** Without a choice the style sheet follows the system by itself. */
function show(): void {
  const chosen = theme.get()
  if (chosen === 'auto') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = chosen
}
