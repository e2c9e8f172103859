import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { deviceFacts } from '../../view-model/device.ts'
import { setupDevice, setupSteps, showsSetup, type SetupName, type SetupStep } from '../../view-model/setup.ts'
import { setupShown } from '../../app/dismissed.ts'
import { useLive } from '../../live/live.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { t } from '../../i18n/texts.ts'
import { useOfflineFacts } from '../device/offline-facts.ts'
import { InviteButton, JoinButton } from '../add/invite-buttons.tsx'
import { AddDeviceButton, AddFolderButton } from '../overview/add-buttons.tsx'
import { NetworkQuestion } from '../overview/network-question.tsx'
import { SetupLogin } from './setup-login.tsx'

/** From a new home to the first file on another device; each step shows what keeps it from being done. */
export function SetupSteps() {
  const shown = useStore(setupShown, (value) => value)
  const isShown = useLive((state) => showsSetup(state, shown))
  useEffect(() => {
    if (isShown && shown !== 'open') setupShown.set('open')
  }, [isShown])
  return isShown ? <Steps /> : null
}

/** Those about the other device are listed when there is one. */
const ALL_STEPS = 7

function Steps() {
  const state = useLive((value) => value)
  const device = setupDevice(state)
  const isConnected = device !== undefined && deviceFacts(state, device.deviceID).connected
  const offline = useOfflineFacts(isConnected ? undefined : device)
  const steps = setupSteps(state, offline)
  const isDone = steps.length > 3 && steps.every(({ name, isDone: is }) => is || name === 'login')
  const done = steps.filter((step) => step.isDone).length
  /** Only the first open step is explained: those after it depend on it. The login can wait. */
  const current = steps.find(({ name, isDone: is }) => !is && name !== 'login')?.name
  return (
    <section class="section card setup">
      <header class="setup-head">
        <div>
          <h2>{t(isDone ? 'setup.done' : 'setup.title')}</h2>
          <p class="soft">{t(isDone ? 'setup.doneAbout' : 'setup.about')}</p>
          {!isDone && <p class="soft">{t('setup.progress', { done, all: ALL_STEPS })}</p>}
        </div>
        {isDone ? (
          <Button kind="primary" onClick={() => setupShown.set('closed')}>
            {t('do.close')}
          </Button>
        ) : (
          device !== undefined && (
            <Button kind="quiet" icon="close" label={t('setup.hide')} onClick={() => setupShown.set('closed')} />
          )
        )}
      </header>
      <ol class="setup-steps">
        {steps.map((step) => (
          <Step key={step.name} step={step} isCurrent={step.name === current} />
        ))}
      </ol>
    </section>
  )
}

function Step({
  step: { name, isDone, blocked },
  isCurrent,
}: {
  readonly step: SetupStep
  readonly isCurrent: boolean
}) {
  return (
    <li class={isDone ? 'done' : isCurrent ? 'current' : ''} aria-current={isCurrent ? 'step' : undefined}>
      <span class="setup-mark" aria-hidden="true">
        {isDone && <Icon name="check" size={16} />}
      </span>
      <div>
        <h3>
          {t(`setup.step.${name}`)}
          {isDone && <span class="unseen"> {t('setup.isDone')}</span>}
        </h3>
        {!isDone && <StepBody name={name} />}
        {isCurrent && blocked && <p class="setup-block">{t(blocked.key, blocked.values)}</p>}
      </div>
    </li>
  )
}

const BODIES: Readonly<Partial<Record<SetupName, () => ComponentChildren>>> = {
  reached: () => <NetworkQuestion isStep />,
  login: () => <SetupLogin />,
  folder: () => (
    <>
      <p class="soft">{t('setup.folderAbout')}</p>
      <AddFolderButton long stays /> <JoinButton />
    </>
  ),
  device: () => (
    <>
      <NetworkQuestion isStep />
      <p class="soft">{t('setup.deviceAbout')}</p>
      <AddDeviceButton long stays /> <InviteButton />
    </>
  ),
}

function StepBody({ name }: { readonly name: SetupName }) {
  return <>{BODIES[name]?.()}</>
}
