import type { Scope } from '../../src/core/access.ts'
import type { IconName } from '../ui/icon.tsx'

/** A command of the palette. */
export interface Command {
  readonly id: string
  readonly text: string
  /** What is searched, where that is more than the text. */
  readonly search?: string
  /** What kind of thing it is about. */
  readonly kind: string
  readonly icon: IconName
  /** What its user must be allowed to do. */
  readonly needs?: Scope
  readonly run: () => unknown
}
