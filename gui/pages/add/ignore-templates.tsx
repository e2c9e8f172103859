import { hasTemplate, IGNORE_TEMPLATE_NAMES, withTemplate } from '../../view-model/ignore-templates.ts'
import { CheckField } from '../../ui/field.tsx'
import { t } from '../../i18n/texts.ts'

/** Boxes for ignore patterns that many folders need. */
export function IgnoreTemplates({ text, onText }: { readonly text: string; readonly onText: (text: string) => void }) {
  return (
    <fieldset class="add-templates">
      <legend>{t('add.templates')}</legend>
      {IGNORE_TEMPLATE_NAMES.map((name) => (
        <CheckField
          key={name}
          label={t(`add.template.${name}`)}
          checked={hasTemplate(text, name)}
          onChange={(isOn) => onText(withTemplate(text, name, isOn))}
        />
      ))}
    </fieldset>
  )
}
