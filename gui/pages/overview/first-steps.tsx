import type { ComponentChildren } from 'preact'
import { t } from '../../words/words.ts'
import { AddDeviceButton, AddFolderButton } from './add-buttons.tsx'

/** The first steps, while there is no folder and no device. */
export function FirstSteps() {
  return (
    <section class="section card overview-first">
      <h2>{t('first.title')}</h2>
      <p class="soft">{t('first.about')}</p>
      <ol class="overview-steps">
        <Step title={t('first.folder')} text={t('first.folderAbout')}>
          <AddFolderButton long />
        </Step>
        <Step title={t('first.device')} text={t('first.deviceAbout')}>
          <AddDeviceButton long />
        </Step>
        <Step title={t('first.accept')} text={t('first.acceptAbout')} />
      </ol>
    </section>
  )
}

function Step({
  title,
  text,
  children,
}: {
  readonly title: string
  readonly text: string
  readonly children?: ComponentChildren
}) {
  return (
    <li>
      <h3>{title}</h3>
      <p class="soft">{text}</p>
      {children}
    </li>
  )
}
