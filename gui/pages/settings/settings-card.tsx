import type { ComponentChildren } from 'preact'

/** A card with a heading; sections of settings are made of these. */
export function SettingsCard({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="card settings-card">
      <h2>{title}</h2>
      {children}
    </section>
  )
}
