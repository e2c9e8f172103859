import { strengthOf } from '../../../src/core/encryption/folder-password.ts'
import { detach } from '../../../src/core/errors.ts'
import { useState } from 'preact/hooks'
import { showDone } from '../../app/run-action.ts'
import { loginTrouble } from '../../view-model/password.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { t } from '../../i18n/texts.ts'
import { Refusal } from '../edit/form.tsx'
import { useSaving } from '../edit/use-form.ts'
import { setLogin } from '../settings/set-login.ts'

/** The name of this device, and a password for its page. */
export function SetupLogin() {
  const localId = useLive((state) => state.system?.myID) ?? ''
  const savedName =
    useLive((state) => state.config?.devices.find(({ deviceID }) => deviceID === state.system?.myID)?.name) ?? ''
  const savedUser = useLive((state) => state.config?.gui.user) ?? ''
  const [typedName, setName] = useState<string>()
  const [typedUser, setUser] = useState<string>()
  const [password, setPassword] = useState('')
  const [tried, setTried] = useState(false)
  const saving = useSaving()
  const name = (typedName ?? savedName).trim()
  const user = (typedUser ?? savedUser).trim()
  const wantsPassword = password !== '' || user !== ''
  const trouble = wantsPassword ? loginTrouble({ user, password, repeated: password, hasPassword: false }) : undefined
  const error = (...kinds: readonly (typeof trouble)[]) =>
    tried && trouble !== undefined && kinds.includes(trouble) ? t(`settings.${trouble}`) : undefined
  const submit = async (event: Event) => {
    event.preventDefault()
    setTried(true)
    if (trouble !== undefined) return
    const done = await saving.save(async () => {
      if (name !== savedName) await client.call('PATCH /rest/config/devices/:id', { id: localId, body: { name } })
      if (wantsPassword) await setLogin(user, password)
    })
    if (done) showDone(t('edit.saved'), undefined)
  }
  return (
    <form class="setup-login" onSubmit={(event) => detach(submit(event))} noValidate>
      <Refusal text={saving.refusal} />
      <TextField label={t('settings.deviceName')} value={typedName ?? savedName} onChange={setName} />
      <TextField
        label={t('login.user')}
        error={error('userMissing')}
        value={typedUser ?? savedUser}
        onChange={setUser}
        autoComplete="username"
      />
      <TextField
        label={t('login.password')}
        help={password === '' ? t('setup.passwordHelp') : t(`password.${strengthOf(password)}`)}
        warns={password !== '' && strengthOf(password) === 'weak'}
        error={error('passwordMissing', 'passwordLong')}
        type="password"
        value={password}
        onChange={setPassword}
        autoComplete="new-password"
      />
      <Button type="submit" disabled={saving.busy}>
        {t('do.save')}
      </Button>
    </form>
  )
}
