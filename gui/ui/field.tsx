import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps {
  readonly label: string
  /** One line of help. */
  readonly help?: string | undefined
  /** Why the input is invalid. */
  readonly error?: string | undefined
  /** Whether the help is a warning. */
  readonly warns?: boolean
}

export interface TextFieldProps extends FieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly type?: 'text' | 'password' | 'number'
  readonly placeholder?: string
  readonly list?: readonly string[]
  readonly autoFocus?: boolean
  readonly autoComplete?: string
  readonly disabled?: boolean
  readonly min?: number
  readonly max?: number
  readonly lines?: number
}

export function TextField(props: TextFieldProps) {
  const {
    value,
    onChange,
    type = 'text',
    placeholder,
    list,
    autoFocus,
    autoComplete = 'off',
    disabled,
    min,
    max,
    lines,
  } = props
  const id = useId()
  const common = {
    id,
    value,
    placeholder,
    disabled,
    autoFocus,
    spellcheck: false,
    'aria-invalid': props.error !== undefined,
    'aria-describedby': `${id}-help`,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => onChange(event.currentTarget.value),
  }
  return (
    <Frame {...props} id={id}>
      {lines !== undefined && <textarea {...common} rows={lines} />}
      {lines === undefined && type === 'text' && (
        <input {...common} type="text" autoComplete={autoComplete} list={list && `${id}-list`} />
      )}
      {lines === undefined && type === 'number' && (
        <input {...common} type="number" min={min} max={max} autoComplete={autoComplete} />
      )}
      {lines === undefined && type === 'password' && <input {...common} type="password" autoComplete={autoComplete} />}
      {list && (
        <datalist id={`${id}-list`}>
          {list.map((item) => (
            <option key={item} value={item} />
          ))}
        </datalist>
      )}
    </Frame>
  )
}

export interface SelectFieldProps<V extends string> extends FieldProps {
  readonly value: V
  readonly options: readonly { readonly value: V; readonly text: string }[]
  readonly onChange: (value: V) => void
  readonly disabled?: boolean
}

export function SelectField<V extends string>(props: SelectFieldProps<V>) {
  const id = useId()
  const choose = (text: string) => {
    const chosen = props.options.find(({ value }) => value === text)
    if (chosen !== undefined) props.onChange(chosen.value)
  }
  return (
    <Frame {...props} id={id}>
      <select
        id={id}
        value={props.value}
        disabled={props.disabled}
        aria-invalid={props.error !== undefined}
        aria-describedby={`${id}-help`}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {props.options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </Frame>
  )
}

function Frame({
  label,
  help,
  error,
  warns = false,
  id,
  children,
}: FieldProps & { readonly id: string; readonly children: ComponentChildren }) {
  return (
    <div class={error === undefined ? 'field' : 'field wrong'}>
      <label for={id}>{label}</label>
      {children}
      <p id={`${id}-help`} class={error !== undefined ? 'field-error' : warns ? 'field-warning' : 'field-help'}>
        {error ?? help}
      </p>
    </div>
  )
}

export interface CheckFieldProps {
  readonly label: string
  readonly help?: string | undefined
  readonly checked: boolean
  readonly disabled?: boolean
  readonly onChange: (checked: boolean) => void
}

export function CheckField({ label, help, checked, disabled, onChange }: CheckFieldProps) {
  const id = useId()
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        aria-describedby={`${id}-help`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      <p id={`${id}-help`} class="field-help">
        {help}
      </p>
    </div>
  )
}
