/** The keys of the page, by what they do. */
const KEYS = new Set(['j', 'k', '1', '2', '3', 'm', 'u'])

/** Keys that are pressed on the page and not in a field or a dialog. */
class DeskKeys extends EventTarget {
  listen(press: (event: CustomEvent<string>) => void): () => void {
    const listener = (event: Event) => press(event as CustomEvent<string>)
    this.addEventListener('press', listener)
    return () => this.removeEventListener('press', listener)
  }

  /** Follows the keyboard as long as the page is open. */
  follow(): () => void {
    const down = (event: KeyboardEvent) => {
      const { altKey, ctrlKey, key, metaKey, target } = event
      const isField = target instanceof Element && target.closest('input:not([type="range"]), textarea, select')
      if (event.defaultPrevented || event.isComposing || altKey || ctrlKey || metaKey || isField) return
      if (!KEYS.has(key) || document.querySelector('dialog[open]') !== null) return
      event.preventDefault()
      this.dispatchEvent(new CustomEvent('press', { detail: key }))
    }
    addEventListener('keydown', down)
    return () => removeEventListener('keydown', down)
  }
}

export const DESK_KEYS = new DeskKeys()
