import { formatPercent } from '../i18n/format.ts'
import type { ShareState } from '../view-model/share-state.ts'
import { t } from '../i18n/texts.ts'
import { State } from './parts.tsx'

/** The state of a folder on another device. */
export function ShareText({ state }: { readonly state: ShareState }) {
  switch (state.kind) {
    case 'not-shared':
      return <span />
    case 'refused':
      return <State tone={state.tone}>{t('disagree.state')}</State>
    case 'paused-here':
      return <State tone={state.tone}>{t('device.folderPaused')}</State>
    case 'paused-there':
      return <State tone={state.tone}>{t('device.remotePaused')}</State>
    case 'not-accepted':
      return <State tone={state.tone}>{t('device.remoteNot')}</State>
    case 'unknown':
      return <State tone={state.tone}>{t('device.remoteUnknown')}</State>
    case 'whole':
      return <State tone={state.tone}>{t('device.complete')}</State>
    case 'behind':
      return <State tone={state.tone}>{formatPercent(state.fraction)}</State>
  }
}
