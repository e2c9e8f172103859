import { hueOf } from '../base/hue.ts'
import { Icon } from './icon.tsx'

/** The icon of a folder or device in a colour of its own, so that it is recognized in every list. */
export function Identity({ kind, id }: { readonly kind: 'folder' | 'device'; readonly id: string }) {
  return (
    <span class={`identity hue-${hueOf(id)}`}>
      <Icon name={kind} size={14} />
    </span>
  )
}
