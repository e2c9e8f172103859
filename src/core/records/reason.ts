/** A reason as a code for programs and as text for users. */
export interface Reason<Code extends string = string> {
  readonly code: Code
  readonly text: string
  /** The error itself, for callers that translate the rest. */
  readonly cause?: string
  /** The name of the device that it is about. */
  readonly device?: string
  /** Position in the queue, from 1. */
  readonly place?: number
  /** The rule that pauses what it is about. */
  readonly rule?: string
  /** When the pause ends, as it is in the text: RFC 3339. */
  readonly until?: string
}
