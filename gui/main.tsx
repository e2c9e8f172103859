import { render } from 'preact'
import { App } from './app/app.tsx'
import { listenToKeys } from './app/keys.ts'
import './app/theme.ts'
import { follow } from './live/live.ts'
import './style/tokens.css'
import './style/base.css'
import './style/frame.css'
import './style/ui.css'
import './style/pages.css'

render(<App />, document.getElementById('app')!)
listenToKeys()
void follow()
