import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { shownValue, visibleFields, type FormField, type FieldError } from '../../view-model/form.ts'
import { ofGroup } from '../../view-model/form-fields.ts'
import { CheckField, SelectField, TextField } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { t } from '../../i18n/texts.ts'
import { textOr } from './text-or.ts'
import type { Form } from './use-form.ts'

export interface FormFieldsProps {
  readonly form: Form
  /** The prefix of the texts of the fields: `folder`, `device`, `options`. */
  readonly words: string
  readonly groups: readonly string[]
  /** Names of fields to leave out, because they are shown in another way. */
  readonly without?: readonly string[]
  /** The name of the field that has the focus first. */
  readonly first?: string
}

/** The fields of some groups that make sense now, in the order of the table. */
export function FormFields({ form, words, groups, without = [], first }: FormFieldsProps) {
  const fields = visibleFields(form.fields, form.part, form.edits).filter(
    ({ name, group }) => groups.includes(group) && !without.includes(name),
  )
  return (
    <>
      {fields.map((field) => (
        <OneField key={field.name} field={field} form={form} words={words} isFirst={field.name === first} />
      ))}
    </>
  )
}

/** A group that the user opens, and that opens by itself when a field in it is invalid. */
export function FieldGroup({
  form,
  words,
  group,
  children,
}: {
  readonly form: Form
  readonly words: string
  readonly group: string
  readonly children?: ComponentChildren
}) {
  const wrong = ofGroup(form.fields, group).some(({ name }) => form.wrongs.has(name))
  return (
    <FoldedSection title={textOr(`form.group.${group}`, group)} open={wrong}>
      <FormFields form={form} words={words} groups={[group]} />
      {children}
    </FoldedSection>
  )
}

export function FoldedSection({
  title,
  open = false,
  children,
}: {
  readonly title: string
  readonly open?: boolean
  readonly children: ComponentChildren
}) {
  // Stays open when what is typed becomes valid.
  const wasOpen = useRef(open)
  wasOpen.current ||= open
  return (
    <details class="edit-group" open={wasOpen.current || undefined}>
      <summary>
        <Icon name="chevron" size={16} />
        {title}
      </summary>
      <div class="edit-group-body">{children}</div>
    </details>
  )
}

/** The error of the daemon. */
export function Refusal({ text }: { readonly text: string }) {
  return text === '' ? null : (
    <p class="edit-refusal" role="alert">
      <Icon name="error" size={16} />
      <span>{t('form.refused', { reason: text })}</span>
    </p>
  )
}

function OneField({
  field,
  form,
  words,
  isFirst,
}: {
  readonly field: FormField
  readonly form: Form
  readonly words: string
  readonly isFirst: boolean
}) {
  const key = `form.${words}.${field.name}`
  const shown = shownValue(field, form.part, form.edits)
  const label = labelOf(field, textOr(key, field.name))
  const help = textOr(`${key}.help`)
  const change = (value: string | boolean) => form.set(field.name, value)
  if (typeof shown === 'boolean') return <CheckField label={label} help={help} checked={shown} onChange={change} />
  if (field.kind === 'choice') {
    const options = field.choices.map((value) => ({ value, text: textOr(`${key}.${value}`, value) }))
    return <SelectField label={label} help={help} value={shown} options={options} onChange={change} />
  }
  const wrong = form.wrongs.get(field.name)
  const lines =
    field.kind === 'lines' || field.kind === 'rules' ? Math.min(8, Math.max(2, shown.split('\n').length)) : undefined
  return (
    <TextField
      label={label}
      help={help}
      error={wrong && wrongText(wrong)}
      value={shown}
      onChange={change}
      autoFocus={isFirst}
      {...(lines !== undefined && { lines })}
    />
  )
}

function labelOf({ unit }: Pick<FormField, 'unit'>, label: string): string {
  return unit === undefined ? label : `${label} (${textOr(`form.unit.${unit}`, unit)})`
}

function wrongText({ kind, limit }: FieldError): string {
  return textOr(`form.wrong.${kind}`).replace('{limit}', String(limit ?? ''))
}

/** Scrolls to the first invalid field and focuses it. */
export function focusFirstWrong(): void {
  const found = [...document.querySelectorAll<HTMLElement>('[aria-invalid="true"]')].find(
    (element) => element.offsetParent !== null,
  )
  found?.focus()
}
