import { useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import { FOLDER_EXTENSIONS, type FolderExtensions } from '../../../src/core/config/extensions.ts'
import { isWithoutSafety, safetyOff, safetyOn } from '../../../src/core/config/safety.ts'
import { client } from '../../live/client.ts'
import { useQuery } from '../../live/query.ts'
import type { FormField } from '../../view-model/form.ts'
import { FOLDER_EXTENSION_FIELDS } from '../../view-model/form-fields.ts'
import { CheckField } from '../../ui/field.tsx'
import { t } from '../../i18n/texts.ts'
import { FoldedSection } from './form.tsx'
import type { Form } from './use-form.ts'

export interface ExtensionForm {
  /** Undefined until they are known, and where there are none: in an encrypted folder. */
  readonly values: FolderExtensions | undefined
  readonly saved: FolderExtensions
  /** Those that stand among the settings of the config; none until they are known. */
  readonly fields: readonly FormField[]
  set(change: Partial<FolderExtensions>): void
  /** Sends what was changed here, and what was among the settings of the config. */
  save(others: Partial<FolderExtensions>): Promise<void>
}

/** The settings of a folder that Syncthing does not have. */
export function useExtensions({ id, type }: FolderConfig): ExtensionForm {
  const { value } = useQuery(id, (signal) => client.call('GET /rest/twinfold/settings', { signal }))
  const [edits, setEdits] = useState<Partial<FolderExtensions>>({})
  const saved = value?.folders[id] ?? FOLDER_EXTENSIONS
  return {
    values: value === undefined || type === 'receiveencrypted' ? undefined : { ...saved, ...edits },
    saved,
    fields: value === undefined ? [] : FOLDER_EXTENSION_FIELDS,
    set: (change) => setEdits({ ...edits, ...change }),
    save: async (others) => {
      const names = Object.keys(FOLDER_EXTENSIONS) as (keyof FolderExtensions)[]
      const all = { ...edits, ...others }
      const changed = names.filter((name) => (all[name] ?? saved[name]) !== saved[name])
      if (changed.length === 0) return
      const changes = Object.fromEntries(changed.map((name) => [name, all[name]]))
      await client.call('PATCH /rest/twinfold/settings', { body: { folders: { [id]: changes } } })
    },
  }
}

interface ExtensionProps {
  readonly folder: FolderConfig
  readonly form: ExtensionForm
  /** The other settings of the folder. */
  readonly config: Form
}

export function ExtensionFields({ folder, form, config }: ExtensionProps) {
  const { values, saved } = form
  if (values === undefined) return null
  return (
    <FoldedSection title={t('edit.extensions')}>
      <SafetyField folder={folder} config={config} values={values} onChange={form.set} />
      <CheckField
        label={t('edit.guard')}
        help={t('edit.guard.help')}
        checked={values.guard}
        onChange={(guard) => form.set({ guard })}
      />
      <CheckField
        label={t('edit.archiveLocal')}
        help={t('edit.archiveLocal.help')}
        checked={values.archiveLocal}
        onChange={(archiveLocal) => form.set({ archiveLocal })}
      />
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

interface SafetyProps {
  readonly folder: FolderConfig
  readonly config: Form
  readonly values: FolderExtensions
  readonly onChange: (change: Partial<FolderExtensions>) => void
}

/** Sets several fields of both forms at once; each can be changed on its own afterwards. */
function SafetyField({ folder, config, values, onChange }: SafetyProps) {
  const type = String(config.edits['versioning.type'] ?? folder.versioning.type)
  const edited = { ...folder, versioning: { ...folder.versioning, type } }
  const change = (isOn: boolean) => {
    const { versioning, extensions } = isOn ? safetyOn(edited) : safetyOff(edited)
    onChange(extensions)
    if (versioning === undefined) return
    config.set('versioning.type', versioning.type)
    config.set('versioning.params.cleanoutDays', versioning.params['cleanoutDays'] ?? '')
  }
  return (
    <CheckField
      label={t('safety.label')}
      help={t('safety.help')}
      checked={!isWithoutSafety(edited, values)}
      onChange={change}
    />
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
