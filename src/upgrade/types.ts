import type { InstallationKind } from '../core/releases/installation.ts'
import type { ReleaseChanges, ReleaseRelation } from '../core/releases/releases.ts'

/** A release found in the registry. Versions come without a leading `v`. */
export interface FoundRelease {
  readonly version: string
  readonly relation: ReleaseRelation
  /** Of all releases between the running one and this one, the newest first. */
  readonly changes: readonly ReleaseChanges[]
}

/** Whether requests are sent: `off` by the configuration, `forbidden` by `--no-upgrade`. */
export type UpgradeChecks = 'on' | 'off' | 'forbidden'

/** The current result of upgrade checks. */
export interface UpgradeState {
  readonly checks: UpgradeChecks
  /** Without a leading `v`. */
  readonly running: string
  /** The registry address; undefined when the configured one is invalid. */
  readonly source: string | undefined
  readonly release: FoundRelease | undefined
  /** Time of the last check, successful or not. */
  readonly checkedMs: number | undefined
  /** Why the last check failed; empty when it did not. */
  readonly error: string
  readonly installation: InstallationKind
  /** Upgrades this installation to the release that was found, or to the latest one while none was. */
  readonly command: string | undefined
}

/** Access to upgrade checks for other facilities. */
export interface UpgradeView {
  /** Sends no request. */
  state(): UpgradeState
  /** Queries the registry unless the result is recent. Rejects with `upgrade-failed`, or `upgrade-off` if disabled. */
  check(): Promise<UpgradeState>
}
