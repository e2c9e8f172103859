import type { Place } from '../base/address.ts'
import type { RemediesJson } from '../../src/rest/remedies.ts'
import type { Tone } from '../base/tone.ts'
import type { TextKey } from '../i18n/texts.ts'

/** What the button of an entry does. */
export type Remedy =
  | { readonly kind: 'go'; readonly word: TextKey; readonly place: Place }
  | { readonly kind: 'scan'; readonly word: TextKey; readonly folders: readonly string[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'restart'; readonly word: TextKey }
  | { readonly kind: 'clear'; readonly word: TextKey }
  /** A loss of files: held on this side, applied with old versions, or encrypted files. */
  | {
      readonly kind: 'guard'
      readonly loss: 'local' | 'remote' | 'deleted' | 'rewritten'
      readonly folder: string
      readonly files: number
      readonly since: string
      /** Other devices that share the folder. */
      readonly devices: number
      /** The one that caused it, unless it is this one. */
      readonly device: string | undefined
      readonly deviceName: string
    }

export interface AttentionMember {
  readonly name: string
  readonly place: Place
  readonly n: number | undefined
  /** The evidence for the cause, and what solves it here; undefined until it is loaded. */
  readonly remedy?: RemediesJson[number] | undefined
}

/** One cause that needs the user, with everything that it affects. It is gone when its cause is. */
export interface AttentionEntry {
  /** The same for the same cause, so that entries keep their place. */
  readonly id: string
  readonly tone: Tone
  readonly title: { readonly key: TextKey; readonly values: Readonly<Record<string, string | number>> }
  readonly advice: TextKey | undefined
  readonly members: readonly AttentionMember[]
  readonly remedy: Remedy
}
