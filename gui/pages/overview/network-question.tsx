import { useState } from 'preact/hooks'
import { changeConfig } from '../../app/run-action.ts'
import { isNetworkUndecided, NETWORK_SWITCHES, networkAnswer, type NetworkSwitch } from '../../view-model/network.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { CheckField } from '../../ui/field.tsx'
import { t } from '../../i18n/texts.ts'

/** Found by devices of the same network, and known to no other host. */
const LOCAL_ONLY: ReadonlySet<NetworkSwitch> = new Set(['localAnnounceEnabled'])

/** Asked once in a new home: which functions may contact other hosts, and who learns what. */
export function NetworkQuestion({ isStep = false }: { readonly isStep?: boolean }) {
  const options = useLive((state) => state.config?.options)
  const [chosen, setChosen] = useState<ReadonlySet<NetworkSwitch>>(new Set())
  if (options === undefined || !isNetworkUndecided(options)) return null
  const answer = (switches: ReadonlySet<NetworkSwitch>) =>
    changeConfig(() => client.changeOptions(networkAnswer(options, switches)), t('edit.saved'))
  const choose = (name: NetworkSwitch, isOn: boolean) =>
    setChosen(new Set(NETWORK_SWITCHES.filter((one) => (one === name ? isOn : chosen.has(one)))))
  return (
    <section class={isStep ? 'setup-network' : 'section card overview-first'}>
      {isStep ? <h4>{t('network.question')}</h4> : <h2>{t('network.question')}</h2>}
      <p class="soft">{t('network.questionAbout')}</p>
      <div class="overview-switches">
        {NETWORK_SWITCHES.map((name) => (
          <CheckField
            key={name}
            label={t(`form.options.${name}`)}
            help={t(`form.options.${name}.help`)}
            checked={chosen.has(name)}
            onChange={(isOn) => choose(name, isOn)}
          />
        ))}
      </div>
      <div class="overview-answers">
        <Button needs="admin" kind="primary" onClick={() => answer(LOCAL_ONLY)}>
          {t('network.local')}
        </Button>
        <Button needs="admin" onClick={() => answer(new Set(NETWORK_SWITCHES))}>
          {t('network.all')}
        </Button>
        <Button needs="admin" onClick={() => answer(chosen)}>
          {t(chosen.size === 0 ? 'network.none' : 'network.chosen')}
        </Button>
      </div>
    </section>
  )
}
