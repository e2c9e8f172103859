import { restartDaemon, shutDownDaemon } from '../../app/power.ts'
import { Menu } from '../../ui/menu.tsx'
import { t } from '../../i18n/texts.ts'
import { AboutSection } from './about.tsx'
import { DebugSwitches } from './debug-switches.tsx'
import { downloadLog, downloadSupport } from './downloads.ts'
import { LiveLog } from './live-log.tsx'
import { Warnings } from './warnings.tsx'

/** The log, warnings, debug switches and downloads. */
export function LogPage() {
  const downloads = [
    { text: t('log.downloadText'), icon: 'file', onSelect: downloadLog },
    { text: t('log.support'), icon: 'download', needs: 'admin', onSelect: downloadSupport },
  ] as const
  const power = [
    { text: t('power.restart'), icon: 'sync', needs: 'admin', onSelect: restartDaemon },
    { text: t('power.shutdown'), icon: 'power', danger: true, needs: 'admin', onSelect: shutDownDaemon },
  ] as const
  return (
    <>
      <header class="log-head">
        <h1>{t('nav.log')}</h1>
        <div class="section-actions">
          <Menu label={t('log.download')} text={t('log.download')} icon="download" items={downloads} />
          <Menu label={t('power.menu')} icon="power" items={power} />
        </div>
      </header>
      <Warnings />
      <LiveLog />
      <DebugSwitches />
      <AboutSection />
    </>
  )
}
