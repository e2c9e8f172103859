import { formatRate } from '../i18n/format.ts'
import { wantsLogin } from '../view-model/password.ts'
import { useLive } from '../live/live.ts'
import { useStore } from '../base/store.ts'
import { logOut } from '../pages/login/log-out.ts'
import { Button } from '../ui/button.tsx'
import { showThroughput } from '../pages/overview/throughput.tsx'
import { density } from '../ui/density.ts'
import { Icon } from '../ui/icon.tsx'
import { Menu } from '../ui/menu.tsx'
import { language, LANGUAGES, type Language } from '../i18n/language.ts'
import { t } from '../i18n/texts.ts'
import { runAction } from './run-action.ts'
import { addressOf } from '../base/address.ts'
import { openCommands } from './commands.tsx'
import { commandKey } from './keys-help.tsx'
import { StatusChips } from './status-chips.tsx'
import { useAnnouncement, useShownStatus } from './shown-status.ts'
import { theme, type Theme } from '../base/theme.ts'

/** The status, the rates, and what concerns the page itself. */
export function TopBar() {
  const status = useShownStatus()
  const announcement = useAnnouncement()
  const rate = useLive((state) => state.history.at(-1)) ?? { inBps: 0, outBps: 0 }
  const hasLogin = useLive(wantsLogin)
  const access = useLive((state) => state.access)
  const [down, up] = [formatRate(rate.inBps), formatRate(rate.outBps)]
  return (
    <header class="top">
      <StatusChips status={status} />
      <p class="unseen" role="status">
        {announcement}
      </p>
      <div class="top-right">
        <a class="rates" href={addressOf()} onClick={showThroughput}>
          <span class="unseen">{t('top.rates', { in: down, out: up })}</span>
          <span aria-hidden="true">
            <Icon name="down" size={14} />
            {down}
          </span>
          <span aria-hidden="true">
            <Icon name="up" size={14} />
            {up}
          </span>
        </a>
        <Button
          kind="quiet"
          icon="search"
          label={t('top.commands')}
          title={`${t('top.commands')} (${commandKey()} K)`}
          onClick={openCommands}
        />
        <ThemeMenu />
        <LanguageMenu />
        {access.name !== null && <span class="soft">{t(`access.${access.scope}`, { name: access.name })}</span>}
        {hasLogin && <Button kind="quiet" icon="leave" label={t('top.logout')} onClick={() => runAction(logOut)} />}
      </div>
    </header>
  )
}

function ThemeMenu() {
  const chosen = useStore(theme, (value) => value)
  const choices: readonly [Theme, string][] = [
    ['auto', t('top.theme.auto')],
    ['light', t('top.theme.light')],
    ['dark', t('top.theme.dark')],
  ]
  const items = choices.map(([name, text]) => ({ text, checked: name === chosen, onSelect: () => theme.set(name) }))
  const rows = useStore(density, (value) => value)
  const heights = (['compact', 'comfortable'] as const).map((name) => ({
    text: t(`table.${name}`),
    checked: name === rows,
    onSelect: () => density.set(name),
  }))
  return <Menu label={t('top.theme')} icon="theme" items={[...items, ...heights]} />
}

function LanguageMenu() {
  const chosen = useStore(language, (value) => value)
  const names = Object.entries(LANGUAGES) as [Language, string][]
  const items = names.map(([name, text]) => ({ text, checked: name === chosen, onSelect: () => language.set(name) }))
  return <Menu label={t('top.language')} icon="language" items={items} />
}
