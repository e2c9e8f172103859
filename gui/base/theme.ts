import { Store } from './store.ts'

export type Theme = 'auto' | 'light' | 'dark'

const KEPT = 'twinfold-theme'

export const theme = new Store<Theme>(kept())
show(theme.get())

export function chooseTheme(chosen: Theme): void {
  try {
    localStorage.setItem(KEPT, chosen)
  } catch {
    // Without local storage the choice lasts as long as the page.
  }
  show(chosen)
  theme.set(chosen)
}

/** Without a choice the style sheet follows the system by itself. */
function show(chosen: Theme): void {
  if (chosen === 'auto') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = chosen
}

function kept(): Theme {
  try {
    const text = localStorage.getItem(KEPT)
    return text === 'light' || text === 'dark' ? text : 'auto'
  } catch {
    return 'auto'
  }
}
