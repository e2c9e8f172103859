import { useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import { client } from '../../live/client.ts'
import { useQuery } from '../../live/query.ts'
import { CheckField } from '../../ui/field.tsx'
import { t } from '../../i18n/texts.ts'
import { FoldedSection } from './form.tsx'

interface Settings {
  readonly collect: boolean
  readonly sharedIgnores: boolean
}

const DEFAULTS: Settings = { collect: false, sharedIgnores: false }

export interface ExtensionForm {
  /** Undefined until they are known, and where there are none: in an encrypted folder. */
  readonly values: Settings | undefined
  readonly saved: Settings
  set(change: Partial<Settings>): void
  /** Sends what was changed. */
  save(): Promise<void>
}

/** The settings of a folder that Syncthing does not have. */
export function useExtensions({ id, type }: FolderConfig): ExtensionForm {
  const { value } = useQuery(id, (signal) => client.call('GET /rest/twinfold/settings', { signal }))
  const [edits, setEdits] = useState<Partial<Settings>>({})
  const saved = value?.folders[id] ?? DEFAULTS
  return {
    values: value === undefined || type === 'receiveencrypted' ? undefined : { ...saved, ...edits },
    saved,
    set: (change) => setEdits({ ...edits, ...change }),
    save: async () => {
      const names = (['collect', 'sharedIgnores'] as const).filter(
        (name) => (edits[name] ?? saved[name]) !== saved[name],
      )
      if (names.length === 0) return
      const changes = Object.fromEntries(names.map((name) => [name, edits[name]]))
      await client.call('PATCH /rest/twinfold/settings', { body: { folders: { [id]: changes } } })
    },
  }
}

export function ExtensionFields({ folder, form }: { readonly folder: FolderConfig; readonly form: ExtensionForm }) {
  const { values, saved } = form
  if (values === undefined) return null
  return (
    <FoldedSection title={t('edit.extensions')}>
      <CheckField
        label={t('edit.collect')}
        help={t('edit.collect.help')}
        checked={values.collect}
        onChange={(collect) => form.set({ collect })}
      />
      <CheckField
        label={t('edit.sharedIgnores')}
        help={t('edit.sharedIgnores.help')}
        checked={values.sharedIgnores}
        onChange={(sharedIgnores) => form.set({ sharedIgnores })}
      />
      {values.sharedIgnores !== saved.sharedIgnores && <SharedIgnoresChange folder={folder.id} />}
    </FoldedSection>
  )
}

/** What switching the shared patterns would change, before it is saved. */
function SharedIgnoresChange({ folder }: { readonly folder: string }) {
  const { value } = useQuery(folder, (signal) =>
    client.call('GET /rest/twinfold/shared-ignores', { query: { folder }, signal }),
  )
  if (value === undefined) return null
  const { change, enabled, problem } = value
  return (
    <p class="field-warning" role="status">
      {problem !== null && !enabled
        ? t('edit.sharedIgnores.problem', { reason: problem })
        : t('edit.sharedIgnores.change', { ignored: change.ignoredTotal, announced: change.announcedTotal })}
    </p>
  )
}
