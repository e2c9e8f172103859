import type { NewScheduleRule, ScheduleRule } from '../core/schedule/rule.ts'
import type { ScheduledPause, ScheduleTarget } from '../core/schedule/effect.ts'

/** A condition of the machine. `off`: no setting depends on it; `unknown`: this machine does not say. */
export type ConditionState = 'off' | 'unknown' | 'yes' | 'no'

/** What is so now, by rules and conditions. */
export interface ScheduleStatus {
  readonly timeZone: string
  readonly rules: readonly {
    readonly rule: ScheduleRule
    /** When it ends; undefined while it is not in force. */
    readonly untilMs: number | undefined
  }[]
  readonly pauses: readonly ScheduledPause[]
  /** When the next rule begins or ends; undefined: never. */
  readonly nextMs: number | undefined
  readonly metered: ConditionState
  readonly battery: ConditionState
  readonly sleep: SleepState
}

/** Whether the machine is kept awake. */
export type SleepState =
  | { readonly kind: 'off' | 'idle' | 'held' }
  /** It cannot be. */
  | { readonly kind: 'failed'; readonly reason: string }

/** What REST uses of the schedule. */
export interface ScheduleView {
  status(): ScheduleStatus
  /** Adds a rule, or replaces the one of its name. Rejects with `bad-request`. */
  set(wanted: NewScheduleRule): Promise<ScheduleRule>
  /** Rejects with `file-missing`. */
  remove(name: string): Promise<void>
  /** Resumes what rules pause, until they end. Resolves with whether something was paused. */
  resume(targets: readonly ScheduleTarget[]): Promise<boolean>
}
