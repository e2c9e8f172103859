import { useState } from 'preact/hooks'
import { strengthOf } from '../../../src/core/encryption/folder-password.ts'
import { runAction } from '../../app/run-action.ts'
import { showToast } from '../../app/toasts.tsx'
import { loginTrouble } from '../../view-model/password.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { t } from '../../i18n/texts.ts'
import { Refusal } from '../edit/form.tsx'
import { useSaving } from '../edit/use-form.ts'
import { SettingsCard } from './settings-card.tsx'
import { setLogin } from './set-login.ts'

/** User and password of this page. The password is typed twice, and never shown again. */
export function LoginSettings() {
  const savedUser = useLive((state) => state.config?.gui.user) ?? ''
  const hasPassword = useLive((state) => (state.config?.gui.password ?? '') !== '')
  const [typedUser, setUser] = useState<string>()
  const [password, setPassword] = useState('')
  const [repeated, setRepeated] = useState('')
  const [isShown, setShown] = useState(false)
  const [tried, setTried] = useState(false)
  const saving = useSaving()
  const user = typedUser ?? savedUser
  const trouble = loginTrouble({ user, password, repeated, hasPassword })
  const error = (...kinds: readonly (typeof trouble)[]) =>
    tried && trouble !== undefined && kinds.includes(trouble) ? t(`settings.${trouble}`) : undefined
  const save = async () => {
    setTried(true)
    if (trouble !== undefined) return
    if (!(await saving.save(() => setLogin(user.trim(), password)))) return
    setTried(false)
    setPassword('')
    setRepeated('')
    setUser(undefined)
    showToast('done', t('settings.loginSaved'))
  }
  const type = isShown ? 'text' : 'password'
  return (
    <SettingsCard title={t('settings.login')}>
      <p class="settings-help">{t('settings.loginHelp')}</p>
      <Refusal text={saving.refusal} />
      <TextField
        label={t('login.user')}
        error={error('userMissing')}
        value={user}
        onChange={setUser}
        autoComplete="username"
      />
      <TextField
        label={t('settings.newPassword')}
        help={
          password === ''
            ? hasPassword
              ? t('settings.newPasswordHelp')
              : undefined
            : t(`password.${strengthOf(password)}`)
        }
        warns={password !== '' && strengthOf(password) === 'weak'}
        error={error('passwordMissing', 'passwordLong')}
        type={type}
        value={password}
        onChange={setPassword}
        autoComplete="new-password"
      />
      <TextField
        label={t('settings.repeatPassword')}
        error={error('passwordsDiffer')}
        type={type}
        value={repeated}
        onChange={setRepeated}
        autoComplete="new-password"
      />
      <CheckField label={t('settings.showPassword')} checked={isShown} onChange={setShown} />
      <div class="settings-actions">
        <Button needs="admin" onClick={save}>
          {t('settings.saveLogin')}
        </Button>
        {hasPassword && (
          // Without the session that saving ends with, removing the login would be refused.
          <Button needs="admin" kind="danger" onClick={clearLogin} disabled={saving.busy}>
            {t('settings.clearLogin')}
          </Button>
        )}
      </div>
    </SettingsCard>
  )
}

async function clearLogin(): Promise<void> {
  if (
    !(await confirm({
      title: t('settings.clearLogin'),
      text: t('settings.clearLoginText'),
      action: t('settings.clearLogin'),
      danger: true,
    }))
  )
    return
  await runAction(
    () => client.call('PATCH /rest/config/gui', { body: { user: '', password: '' } }),
    t('settings.loginCleared'),
  )
}
