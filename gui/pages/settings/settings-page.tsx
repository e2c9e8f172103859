import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { detach } from '../../../src/core/errors.ts'
import { addressOf } from '../../base/address.ts'
import { restartDaemon } from '../../app/power.ts'
import { runAction } from '../../app/run-action.ts'
import { live, useLive } from '../../live/live.ts'
import { useMay } from '../../live/access.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { Skeleton } from '../../ui/parts.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { t } from '../../i18n/texts.ts'
import { focusFirstWrong, Refusal } from '../edit/form.tsx'
import { useSaving } from '../edit/use-form.ts'
import { AdvancedSection } from './advanced-section.tsx'
import { ConnectionsSection, NetworkSection } from './connections-section.tsx'
import { DefaultsSection } from './defaults-section.tsx'
import { GeneralSection } from './general-section.tsx'
import { GuiSection } from './gui-section.tsx'
import { discardEdits, savePending, usePendingChanges, type PendingChanges } from './parts.ts'

const SECTIONS = [
  'general',
  'gui',
  'access',
  'connections',
  'network',
  'schedule',
  'hooks',
  'defaults',
  'advanced',
] as const

/** What can be set for this device. Edits of all sections are kept until they are saved or discarded. */
export function SettingsPage({ section }: { readonly section: string }) {
  const pending = usePendingChanges()
  const saving = useSaving()
  const isAdmin = useMay('admin')
  const active = SECTIONS.find((name) => name === section) ?? 'general'
  const tabs = SECTIONS.map((name) => ({ name, text: t(`settings.${name}`), href: addressOf('settings', name) }))
  const save = async () => {
    if (pending.hasWrong) return requestAnimationFrame(focusFirstWrong)
    if (!(await agreesToMove(pending))) return undefined
    await saving.saveConfig(() => savePending(pending), t('edit.saved'))
  }
  const submit = (event: Event) => {
    event.preventDefault()
    detach(save())
  }
  return (
    <>
      <h1>{t('nav.settings')}</h1>
      <RestartNotice />
      <Tabs tabs={tabs} active={active} label={t('settings.sections')}>
        <form class="settings" onSubmit={submit} noValidate>
          <Refusal text={saving.refusal} />
          <fieldset class="settings-fields" disabled={!isAdmin}>
            <Section name={active} />
          </fieldset>
          {pending.count > 0 || pending.hasWrong ? (
            <div class="settings-bar" role="region" aria-label={t('do.save')}>
              <span>{t('settings.changes', { n: pending.count })}</span>
              <Button onClick={() => discardEdits()}>{t('settings.discard')}</Button>
              <Button kind="primary" type="submit" disabled={saving.busy}>
                {t('do.save')}
              </Button>
            </div>
          ) : null}
        </form>
      </Tabs>
    </>
  )
}

function Section({ name }: { readonly name: (typeof SECTIONS)[number] }) {
  switch (name) {
    case 'general':
      return <GeneralSection />
    case 'gui':
      return <GuiSection />
    case 'access':
      return <LateSection key={name} load={accessSection} />
    case 'connections':
      return <ConnectionsSection />
    case 'network':
      return <NetworkSection />
    case 'schedule':
      return <LateSection key={name} load={scheduleSection} />
    case 'hooks':
      return <LateSection key={name} load={hooksSection} />
    case 'defaults':
      return <DefaultsSection />
    case 'advanced':
      return <AdvancedSection />
  }
}

const accessSection = async () => (await import('./access-section.tsx')).AccessSection
const scheduleSection = async () => (await import('./schedule-section.tsx')).ScheduleSection
const hooksSection = async () => (await import('./hooks-section.tsx')).HooksSection

/** Loaded when it is opened: few open it, and all load the page. */
function LateSection({ load }: { readonly load: () => Promise<FunctionComponent> }) {
  const [loaded, setLoaded] = useState<{ readonly Component: FunctionComponent }>()
  useEffect(() => {
    detach(runAction(async () => setLoaded({ Component: await load() })))
  }, [])
  return loaded === undefined ? <Skeleton /> : <loaded.Component />
}

function RestartNotice() {
  const isNeeded = useLive((state) => state.restartRequired)
  if (!isNeeded) return null
  return (
    <div class="settings-restart" role="status">
      <span>{t('settings.restartNeeded')}</span>
      <Button needs="admin" onClick={restartDaemon}>
        {t('power.restart')}
      </Button>
    </div>
  )
}

/** Another address or protocol moves this page. */
async function agreesToMove({ changes }: PendingChanges): Promise<boolean> {
  const gui = live.get().config?.gui
  const wanted = changes.gui
  if (gui === undefined || wanted === undefined || !('address' in wanted || 'useTLS' in wanted)) return true
  const next = { ...gui, ...wanted }
  const address = `${next.useTLS ? 'https' : 'http'}://${next.address}`
  return confirm({
    title: t('settings.movesPage'),
    text: t('settings.movesPageText', { address }),
    action: t('do.save'),
  })
}
