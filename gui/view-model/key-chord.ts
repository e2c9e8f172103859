/** The places that follow upon `g`. */
export const PLACE_KEYS = {
  o: '',
  a: 'attention',
  x: 'conflicts',
  f: 'folders',
  d: 'devices',
  c: 'changes',
  l: 'log',
  s: 'settings',
} as const

/** What keys do on the page. */
export type KeyAction =
  | { readonly kind: 'go'; readonly place: string }
  | { readonly kind: 'commands' | 'search' | 'help' | 'undo' }

export interface KeyPress {
  readonly key: string
  readonly ctrl: boolean
  readonly alt: boolean
  /** Typed into a field, where letters are text. */
  readonly typing: boolean
  readonly atMs: number
}

/** How long `g` waits for its second letter. */
const CHORD_MS = 1_500

/** Turns key presses into actions. */
export class KeyChord {
  #beganMs = -Infinity

  press({ key, ctrl, alt, typing, atMs }: KeyPress): KeyAction | undefined {
    const begun = atMs - this.#beganMs <= CHORD_MS
    this.#beganMs = -Infinity
    if (ctrl && !alt && key.toLowerCase() === 'k') return { kind: 'commands' }
    if (ctrl && !alt && !typing && key === 'z') return { kind: 'undo' }
    if (ctrl || alt || typing) return undefined
    if (begun && Object.hasOwn(PLACE_KEYS, key))
      return { kind: 'go', place: PLACE_KEYS[key as keyof typeof PLACE_KEYS] }
    if (key === 'g') this.#beganMs = atMs
    if (key === '/') return { kind: 'search' }
    return key === '?' ? { kind: 'help' } : undefined
  }
}
