import { useState } from 'preact/hooks'
import type { AdvancedPart } from '../../view-model/form-fields.ts'
import { ofGroup } from '../../view-model/form-fields.ts'
import { TextField } from '../../ui/field.tsx'
import { t } from '../../i18n/texts.ts'
import { FormFields } from '../edit/form.tsx'
import { usePart } from './parts.ts'

const PARTS: readonly AdvancedPart[] = ['options', 'gui']

/** Every setting without a better place, by its own name. */
export function AdvancedSection() {
  const [search, setSearch] = useState('')
  const forms = { options: usePart('options'), gui: usePart('gui') }
  const wanted = search.trim().toLowerCase()
  const hidden = (part: AdvancedPart) =>
    ofGroup(forms[part].fields, 'advanced')
      .map(({ name }) => name)
      .filter((name) => !`${part}.${name}`.toLowerCase().includes(wanted))
  const found = PARTS.filter((part) => hidden(part).length < ofGroup(forms[part].fields, 'advanced').length)
  return (
    <>
      <p class="settings-help">{t('settings.advancedHelp')}</p>
      <TextField label={t('settings.search')} value={search} onChange={setSearch} />
      {found.length === 0 && (
        <p class="soft" role="status">
          {t('settings.noMatch')}
        </p>
      )}
      {found.map((part) => (
        <section key={part} class="card settings-card settings-advanced">
          <h2>
            <code>{part}</code>
          </h2>
          <FormFields form={forms[part]} words={`advanced.${part}`} groups={['advanced']} without={hidden(part)} />
        </section>
      ))}
    </>
  )
}
