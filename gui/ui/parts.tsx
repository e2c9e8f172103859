import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { formatAgo, formatMoment } from '../i18n/format.ts'
import { isTime } from '../base/moments.ts'
import type { Tone } from '../base/tone.ts'
import { Store, useStore } from '../base/store.ts'
import { t } from '../i18n/texts.ts'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

const TONE_ICONS: Readonly<Record<Tone, IconName>> = {
  good: 'check',
  busy: 'sync',
  wait: 'clock',
  bad: 'error',
  off: 'minus',
  paused: 'pause',
  away: 'offline',
}

export type { Tone } from '../base/tone.ts'

/** A state as text, with an icon and a colour of the same meaning. */
export function StateLabel({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return (
    <span class={`state ${tone}`}>
      <Icon name={TONE_ICONS[tone]} size={16} />
      <span>{children}</span>
    </span>
  )
}

/** A progress bar, from 0 to 1. */
export function ProgressBar({ fraction, label }: { readonly fraction: number; readonly label: string }) {
  return <progress class="bar" value={Math.min(1, Math.max(0, fraction))} max={1} aria-label={label} title={label} />
}

/** A time in relation to now, with the exact one in the tooltip; updated periodically. */
export function TimeAgo({ time }: { readonly time: string | number }) {
  const timeMs = typeof time === 'number' ? time : Date.parse(time)
  const nowMs = useNow(15_000)
  return isTime(timeMs) ? (
    <time dateTime={new Date(timeMs).toISOString()} title={formatMoment(timeMs)}>
      {formatAgo(Math.min(timeMs, nowMs), nowMs)}
    </time>
  ) : (
    <span>{t('time.never')}</span>
  )
}

const clocks = new Map<number, Store<number>>()

/** One timer for all that use the interval: a table has a time in each row. */
function clockOf(everyMs: number): Store<number> {
  const known = clocks.get(everyMs)
  if (known !== undefined) return known
  const clock = new Store(0)
  clocks.set(everyMs, clock)
  setInterval(() => clock.update((count) => count + 1), everyMs)
  return clock
}

/** The current time, updated in this interval. */
export function useNow(everyMs: number): number {
  const count = useStore(clockOf(everyMs), (value) => value)
  return useMemo(() => Date.now(), [count, everyMs])
}

/** A section of a page with its heading and, at the right, what can be done there. */
export function Section({
  title,
  actions,
  children,
}: {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) {
  return (
    <section class="section">
      <header class="section-head">
        <h2>{title}</h2>
        <div class="section-actions">{actions}</div>
      </header>
      {children}
    </section>
  )
}

/** Shown in place of an empty list: why it is empty, and what to do. */
export function EmptyNote({
  children,
  action,
}: {
  readonly children: ComponentChildren
  readonly action?: ComponentChildren
}) {
  return (
    <div class="empty">
      <p>{children}</p>
      {action}
    </div>
  )
}

/** Placeholder lines while something is loading. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" role="status" aria-label={t('state.loading')}>
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} />
      ))}
    </div>
  )
}

/** Pairs of name and value, one per line. */
export function DescriptionList({
  rows,
}: {
  readonly rows: readonly (readonly [name: string, value: ComponentChildren])[]
}) {
  return (
    <dl class="descriptions">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await copyText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 2_000)
  }
  return (
    <Button icon={copied ? 'check' : 'copy'} onClick={copy}>
      {copied ? t('do.copied') : (label ?? t('do.copy'))}
    </Button>
  )
}

/** The clipboard API exists only in secure contexts; copying a selection works everywhere. */
async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    document.body.append(area)
    area.select()
    document.execCommand('copy')
    area.remove()
  }
}
