import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { formatCount } from '../i18n/format.ts'

export interface Tab {
  readonly name: string
  readonly text: string
  readonly href: string
  /** A number beside the name, where there is something to see. */
  readonly count?: number | undefined
}

/** Tabs are links, so that the browser's own keys work. The active one is scrolled into view. */
export function Tabs({
  tabs,
  active,
  label,
  children,
}: {
  readonly tabs: readonly Tab[]
  readonly active: string
  readonly label: string
  readonly children: ComponentChildren
}) {
  const row = useRef<HTMLElement>(null)
  useEffect(
    () => row.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    [active],
  )
  return (
    <>
      <nav ref={row} class="tabs" aria-label={label}>
        {tabs.map(({ name, text, href, count }) => (
          <a key={name} href={href} aria-current={name === active ? 'page' : undefined}>
            {text}
            {count ? <span class="count">{formatCount(count)}</span> : null}
          </a>
        ))}
      </nav>
      <div class="tab-body">{children}</div>
    </>
  )
}
