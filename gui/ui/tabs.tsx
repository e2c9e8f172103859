import type { ComponentChildren } from 'preact'

export interface Tab {
  readonly name: string
  readonly text: string
  readonly href: string
  /** A number beside the name, where there is something to see. */
  readonly count?: number | undefined
}

/** Tabs are links: each has an address, and the browser's own keys work. */
export function Tabs({ tabs, active, label, children }: { readonly tabs: readonly Tab[]; readonly active: string; readonly label: string; readonly children: ComponentChildren }) {
  return (
    <>
      <nav class="tabs" aria-label={label}>
        {tabs.map(({ name, text, href, count }) => (
          <a key={name} href={href} aria-current={name === active ? 'page' : undefined}>
            {text}{count ? <span class="count">{count.toLocaleString()}</span> : null}
          </a>
        ))}
      </nav>
      <div class="tab-body">{children}</div>
    </>
  )
}
