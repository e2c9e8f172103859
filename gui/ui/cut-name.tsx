import { visibleName } from '../base/visible-name.ts'

/** Shorter names fit everywhere. */
const WHOLE_MAX = 20
const TAIL_LENGTH = 14

/** A name that is cut in the middle where it does not fit: its end, with the extension, tells names apart. */
export function CutName({ name, kind }: { readonly name: string; readonly kind: string }) {
  const shown = visibleName(name)
  const characters = [...shown]
  if (characters.length <= WHOLE_MAX) return <span class={kind}>{shown}</span>
  return (
    <span class={`${kind} cut`}>
      <span>{characters.slice(0, -TAIL_LENGTH).join('')}</span>
      <span>{characters.slice(-TAIL_LENGTH).join('')}</span>
    </span>
  )
}
