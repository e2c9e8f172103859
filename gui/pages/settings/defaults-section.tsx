import { shownValue } from '../../view-model/form.ts'
import { TextField } from '../../ui/field.tsx'
import { t } from '../../i18n/texts.ts'
import { FieldGroup, FormFields, FoldedSection } from '../edit/form.tsx'
import { usePart } from './parts.ts'
import { SettingsCard } from './settings-card.tsx'

/** What new folders and devices start with, in the same forms. */
export function DefaultsSection() {
  const folder = usePart('folder')
  const device = usePart('device')
  const ignores = usePart('ignores')
  return (
    <>
      <p class="settings-help">{t('settings.defaultsHelp')}</p>
      <SettingsCard title={t('settings.defaultFolder')}>
        <OneText form={folder} name="path" label={t('settings.defaultPath')} help={t('settings.defaultPathHelp')} />
        <FormFields form={folder} words="folder" groups={['basic']} />
        <OneText
          form={ignores}
          name="lines"
          label={t('settings.defaultIgnores')}
          help={t('settings.defaultIgnoresHelp')}
          lines={4}
        />
        <FieldGroup form={folder} words="folder" group="versions" />
        <FieldGroup form={folder} words="folder" group="scan" />
        <FieldGroup form={folder} words="folder" group="pull" />
        <FieldGroup form={folder} words="folder" group="disk" />
        <FoldedSection title={t('form.group.expert')}>
          <FormFields form={folder} words="folder" groups={['expert']} without={['path']} />
        </FoldedSection>
      </SettingsCard>
      <SettingsCard title={t('settings.defaultDevice')}>
        <FormFields form={device} words="device" groups={['basic']} />
        <FieldGroup form={device} words="device" group="trust" />
        <FieldGroup form={device} words="device" group="speed" />
        <FieldGroup form={device} words="device" group="expert" />
      </SettingsCard>
    </>
  )
}

interface OneTextProps {
  readonly form: ReturnType<typeof usePart>
  readonly name: string
  readonly label: string
  readonly help: string
  readonly lines?: number
}

/** A field that is called otherwise here than in the dialogs. */
function OneText({ form, name, label, help, lines }: OneTextProps) {
  const field = form.fields.find((one) => one.name === name)
  if (field === undefined) return null
  return (
    <TextField
      label={label}
      help={help}
      value={String(shownValue(field, form.part, form.edits))}
      onChange={(value) => form.set(name, value)}
      {...(lines !== undefined && { lines })}
    />
  )
}
