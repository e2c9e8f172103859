import { movedTo } from '../view-model/moved.ts'
import { retryNow, useLive } from '../live/live.ts'
import { Button } from '../ui/button.tsx'
import { t } from '../i18n/texts.ts'

/** Shown when the daemon is unreachable, has moved, or was updated. Floats, so that the layout does not shift. */
export function LinkBar() {
  const link = useLive((state) => state.link)
  const isOther = useLive(
    ({ version, servedAs }) => version !== undefined && servedAs !== undefined && version.version !== servedAs.version,
  )
  const moved = useLive(({ config, servedAs, system }) =>
    config === undefined || servedAs === undefined || system?.guiAddressOverridden === true
      ? undefined
      : movedTo(servedAs, config.gui, location.hostname),
  )
  if (link === 'lost') {
    return (
      <div class="link-bar" role="alert">
        <span>{t(moved === undefined ? 'link.lost' : 'link.moved')}</span>
        {moved === undefined ? (
          <Button kind="quiet" onClick={retryNow}>
            {t('link.retry')}
          </Button>
        ) : (
          <a class="button primary" href={moved}>
            {t('link.open')}
          </a>
        )}
      </div>
    )
  }
  if (!isOther) return null
  return (
    <div class="link-bar" role="status">
      <span>{t('link.updated')}</span>
      <Button kind="quiet" onClick={() => location.reload()}>
        {t('link.reload')}
      </Button>
    </div>
  )
}
