import { useId } from 'preact/hooks'
import { attentionCounts } from '../view-model/attention.ts'
import { otherDevices } from '../view-model/device.ts'
import { useLive } from '../live/live.ts'
import { Icon } from '../ui/icon.tsx'
import { formatCount } from '../i18n/format.ts'
import { t } from '../i18n/texts.ts'
import { addressOf } from '../base/address.ts'
import { PLACES } from './places.ts'
import { usePlace } from '../base/route.ts'

/** The tabs of a phone, which has room for the names of five; the others are behind the last. */
const PHONE_PLACES: ReadonlySet<string> = new Set(['', 'attention', 'folders', 'devices'])

/** The places of the page; tabs at the foot on a phone. */
export function SideBar() {
  const [here = ''] = usePlace()
  const folders = useLive((state) => state.config?.folders.length ?? 0)
  const devices = useLive((state) => otherDevices(state).length)
  const attention = useLive((state) => attentionCounts(state).entries)
  const conflicts = useLive((state) => attentionCounts(state).conflicts)
  const counts: Readonly<Record<string, number>> = { attention, conflicts, folders, devices }
  return (
    <nav class="side" aria-label={t('nav.main')}>
      <a class="brand" href={addressOf()}>
        <svg width="22" height="22" viewBox="0 0 24 24" aria-hidden="true">
          <rect x="2" y="3" width="13" height="13" rx="3" class="brand-back" />
          <rect x="9" y="8" width="13" height="13" rx="3" class="brand-front" />
        </svg>
        <span>Twinfold</span>
      </a>
      {PLACES.map(({ place, icon, word }) => (
        <a
          key={place}
          class={PHONE_PLACES.has(place) ? 'place' : 'place wide-only'}
          href={addressOf(...(place === '' ? [] : [place]))}
          aria-current={place === here ? 'page' : undefined}
        >
          <Icon name={icon} />
          <span>{t(word)}</span>
          {counts[place] ? <span class={`count ${place}`}>{formatCount(counts[place])}</span> : null}
        </a>
      ))}
      <HelpLink />
      <MorePlaces here={here} />
    </nav>
  )
}

/** The manual, in the same frame. */
function HelpLink() {
  return (
    <a class="place wide-only" href="/manual">
      <Icon name="help" />
      <span>{t('nav.help')}</span>
    </a>
  )
}

function MorePlaces({ here }: { readonly here: string }) {
  const id = useId()
  const others = PLACES.filter(({ place }) => !PHONE_PLACES.has(place))
  const isHere = others.some(({ place }) => place === here)
  return (
    <>
      <button
        type="button"
        class="place phone-only"
        popovertarget={id}
        aria-haspopup="true"
        aria-current={isHere ? 'page' : undefined}
      >
        <Icon name="more" />
        <span>{t('nav.more')}</span>
      </button>
      <div id={id} popover="auto" class="menu more-places" onClick={(event) => event.currentTarget.hidePopover()}>
        {others.map(({ place, icon, word }) => (
          <a key={place} href={addressOf(place)}>
            <Icon name={icon} />
            {t(word)}
          </a>
        ))}
        <a href="/manual">
          <Icon name="help" />
          {t('nav.help')}
        </a>
      </div>
    </>
  )
}
