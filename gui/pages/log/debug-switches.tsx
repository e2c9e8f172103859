import { detach } from '../../../src/core/errors.ts'
import { useEffect } from 'preact/hooks'
import { runAction } from '../../app/run-action.ts'
import { debugFacilities, loadDebug, switchDebug } from '../../live/debug.ts'
import { useMay } from '../../live/access.ts'
import { useLive } from '../../live/live.ts'
import { useStore } from '../../base/store.ts'
import { Section, Skeleton } from '../../ui/parts.tsx'
import { isTextKey, t } from '../../i18n/texts.ts'

/** Each facility with the switch of its debug logging. */
export function DebugSwitches() {
  const state = useStore(debugFacilities, (value) => value)
  const link = useLive((state) => state.link)
  useEffect(() => {
    // A restarted daemon may have other switches enabled.
    if (link === 'live') loadDebug().catch(() => undefined)
  }, [link])
  const on = state?.enabled.length ?? 0
  const isAdmin = useMay('admin')
  return (
    <Section title={t('log.switches')} actions={on > 0 && <span class="log-on">{t('log.switchesOn', { n: on })}</span>}>
      <p class="soft log-help">{t('log.switchesHelp')}</p>
      {state === undefined ? (
        <Skeleton lines={3} />
      ) : (
        <ul class="log-chips">
          {Object.entries(state.facilities).map(([name, about]) => (
            <li key={name}>
              <Chip
                name={name}
                about={aboutFacility(name, about)}
                on={state.enabled.includes(name)}
                isAllowed={isAdmin}
              />
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

interface ChipProps {
  readonly name: string
  readonly about: string
  readonly on: boolean
  readonly isAllowed: boolean
}

function Chip({ name, about, on, isAllowed }: ChipProps) {
  return (
    <button
      type="button"
      disabled={!isAllowed}
      role="switch"
      aria-checked={on}
      class="log-chip"
      onClick={() => detach(runAction(() => switchDebug(name, !on)))}
    >
      <span class="log-knob" aria-hidden="true" />
      <span>
        <b>{name}</b>
        <span class="log-about">{about}</span>
      </span>
    </button>
  )
}

/** In the language of the page; the daemon's description for an unknown facility. */
function aboutFacility(name: string, about: string): string {
  const key = `facility.${name}`
  return isTextKey(key) ? t(key) : about
}
