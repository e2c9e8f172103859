import { formatPercent } from '../i18n/format.ts'
import type { ShareState } from '../view-model/share-state.ts'
import { t } from '../i18n/texts.ts'
import { StateLabel } from './parts.tsx'

/** The state of a folder on another device. */
export function ShareText({ state }: { readonly state: ShareState }) {
  switch (state.kind) {
    case 'not-shared':
      return <span />
    case 'refused':
      return <StateLabel tone={state.tone}>{t('disagree.state')}</StateLabel>
    case 'paused-here':
      return <StateLabel tone={state.tone}>{t('device.folderPaused')}</StateLabel>
    case 'paused-there':
      return <StateLabel tone={state.tone}>{t('device.remotePaused')}</StateLabel>
    case 'not-accepted':
      return <StateLabel tone={state.tone}>{t('device.remoteNot')}</StateLabel>
    case 'unknown':
      return <StateLabel tone={state.tone}>{t('device.remoteUnknown')}</StateLabel>
    case 'whole':
      return <StateLabel tone={state.tone}>{t('device.complete')}</StateLabel>
    case 'behind':
      return <StateLabel tone={state.tone}>{formatPercent(state.fraction)}</StateLabel>
  }
}
