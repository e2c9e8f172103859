import { detach } from '../../../src/core/errors.ts'
import { useState } from 'preact/hooks'
import { ClientError } from '../../../src/client/errors.ts'
import { reasonOf } from '../../app/run-action.ts'
import { client } from '../../live/client.ts'
import { live, retryNow } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { t } from '../../i18n/texts.ts'

/** The daemon delays logins after many wrong passwords; then the reason is shown. */
const SLOW_MS = 1_500

/** The login. Above a page whose session has expired it states that, and is not the main landmark. */
export function LoginPage() {
  const [user, setUser] = useState('')
  const [password, setPassword] = useState('')
  const [stay, setStay] = useState(false)
  const login = useLogin()
  const [isExpired] = useState(() => live.get().config !== undefined)
  const Frame = isExpired ? 'div' : 'main'
  const submit = async (event: Event) => {
    event.preventDefault()
    if (!(await login.attempt({ username: user, password, stayLoggedIn: stay }))) setPassword('')
  }
  return (
    <Frame class="login-page">
      <form class="login" onSubmit={(event) => detach(submit(event))} noValidate>
        <header class="login-head">
          <svg width="32" height="32" viewBox="0 0 24 24" aria-hidden="true">
            <rect x="2" y="3" width="13" height="13" rx="3" class="brand-back" />
            <rect x="9" y="8" width="13" height="13" rx="3" class="brand-front" />
          </svg>
          <h1>{t('login.title')}</h1>
        </header>
        {isExpired && <p class="login-why">{t('login.expired')}</p>}
        <TextField label={t('login.user')} value={user} onChange={setUser} autoComplete="username" autoFocus />
        <TextField
          label={t('login.password')}
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
        />
        <CheckField label={t('login.stay')} checked={stay} onChange={setStay} />
        <p class="login-wrong" role="alert">
          {login.problem}
        </p>
        {login.isSlow && (
          <p class="login-why" role="status">
            {t('login.slow')}
          </p>
        )}
        <Button kind="primary" type="submit" disabled={login.busy}>
          {t('login.go')}
        </Button>
      </form>
    </Frame>
  )
}

interface Credentials {
  readonly username: string
  readonly password: string
  readonly stayLoggedIn: boolean
}

interface Login {
  readonly problem: string
  readonly busy: boolean
  readonly isSlow: boolean
  readonly attempt: (credentials: Credentials) => Promise<boolean>
}

function useLogin(): Login {
  const [problem, setProblem] = useState('')
  const [busy, setBusy] = useState(false)
  const [isSlow, setSlow] = useState(false)
  const attempt = async (credentials: Credentials) => {
    if (busy) return true
    setBusy(true)
    setProblem('')
    const timer = setTimeout(() => setSlow(true), SLOW_MS)
    try {
      await client.call('POST /rest/noauth/auth/password', { body: credentials })
      retryNow()
      return true
    } catch (error) {
      if (isOpen(error)) retryNow()
      setProblem(problemOf(error))
      return false
    } finally {
      clearTimeout(timer)
      setSlow(false)
      setBusy(false)
    }
  }
  return { problem, busy, isSlow, attempt }
}

/** The password was removed meanwhile: no login is required. */
function isOpen(error: unknown): boolean {
  return error instanceof ClientError && error.status === 404
}

function problemOf(error: unknown): string {
  if (isOpen(error)) return ''
  if (error instanceof ClientError && error.failure === 'refused') return t('login.wrong')
  return t('fail.action', { reason: reasonOf(error) })
}
