import { useId, useRef } from 'preact/hooks'

export interface LineEditorProps {
  readonly label: string
  readonly help: string
  readonly text: string
  readonly onText: (text: string) => void
  /** From 1. */
  readonly wrongLine: number | undefined
}

const LINES_MIN = 12

/** A text with the numbers of its lines beside it. */
export function LineEditor({ label, help, text, onText, wrongLine }: LineEditorProps) {
  const id = useId()
  const numbers = useRef<HTMLDivElement>(null)
  const count = text.split('\n').length
  return (
    <div class="line-editor">
      <label for={id}>{label}</label>
      <div class="line-editor-frame">
        <div ref={numbers} class="line-editor-numbers" aria-hidden="true">
          {Array.from({ length: count }, (_, index) => (
            <div key={index} class={index + 1 === wrongLine ? 'wrong' : undefined}>
              {index + 1}
            </div>
          ))}
        </div>
        <textarea
          id={id}
          value={text}
          rows={LINES_MIN}
          wrap="off"
          spellcheck={false}
          autoComplete="off"
          aria-describedby={`${id}-help`}
          aria-invalid={wrongLine !== undefined}
          onInput={(event) => onText(event.currentTarget.value)}
          onScroll={(event) => numbers.current?.scrollTo({ top: event.currentTarget.scrollTop })}
        />
      </div>
      <p id={`${id}-help`} class="field-help">
        {help}
      </p>
    </div>
  )
}
