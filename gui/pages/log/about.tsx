import { useLive } from '../../live/live.ts'
import { TimeAgo, DescriptionList, Section } from '../../ui/parts.tsx'
import { t } from '../../i18n/texts.ts'

/** The version, and links for programs. */
export function AboutSection() {
  const version = useLive((state) => state.version)
  const startTime = useLive((state) => state.system?.startTime)
  if (version === undefined || startTime === undefined) return null
  const links = (
    <span class="log-links">
      <a href="/manual" target="_blank" rel="noreferrer">
        {t('log.manual')}
      </a>
      <a href="/api" target="_blank" rel="noreferrer">
        {t('log.api')}
      </a>
      <a href="/metrics" target="_blank" rel="noreferrer">
        {t('log.metrics')}
      </a>
    </span>
  )
  return (
    <Section title={t('log.about')}>
      <div class="card">
        <DescriptionList
          rows={[
            [t('log.version'), `Twinfold ${version.version}`],
            [t('log.system'), `${version.os} ${version.arch}`],
            [t('log.started'), <TimeAgo key="started" time={startTime} />],
            [t('log.licence'), 'Apache 2.0'],
            [t('log.more'), links],
          ]}
        />
      </div>
    </Section>
  )
}
