import { detach } from '../src/core/errors.ts'
import { render } from 'preact'
import { App } from './app/app.tsx'
import { followDialogs } from './base/dialog-history.ts'
import { listenToKeys } from './app/keys.ts'
import './base/theme.ts'
import { followDaemon } from './live/live.ts'
import { loadLanguage } from './i18n/texts.ts'
import './style/tokens.css'
import './style/base.css'
import './style/frame.css'
import './style/ui.css'
import './style/ui-forms.css'
import './style/pages.css'

const RELOAD_MS = 2_000

detach(followDaemon())
try {
  await loadLanguage()
  const root = document.getElementById('app')!
  root.replaceChildren() // the sentence for a script that does not start
  render(<App />, root)
  listenToKeys()
  followDialogs()
} catch {
  // The daemon stopped between loading the page and its texts: there is no input to keep yet.
  setTimeout(() => location.reload(), RELOAD_MS)
}
