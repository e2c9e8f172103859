import type { InstallationKind } from '../core/releases/installation.ts'
import type { ReleaseChanges, ReleaseRelation } from '../core/releases/releases.ts'

/** What the registry said. Versions come without a leading `v`. */
export interface FoundRelease {
  readonly version: string
  readonly relation: ReleaseRelation
  /** Of all releases between the running one and this one, the newest first. */
  readonly changes: readonly ReleaseChanges[]
}

/** Whether anybody may be asked: `off` by the configuration, `forbidden` by `--no-upgrade`. */
export type UpgradeChecks = 'on' | 'off' | 'forbidden'

/** What is known about newer releases at this moment. */
export interface UpgradeState {
  readonly checks: UpgradeChecks
  /** Without a leading `v`. */
  readonly running: string
  /** The address that is asked; undefined when the configured one cannot be used. */
  readonly source: string | undefined
  readonly release: FoundRelease | undefined
  /** When the registry was asked last, with an answer or without. */
  readonly checkedMs: number | undefined
  /** Why the last check failed; empty when it did not. */
  readonly error: string
  readonly installation: InstallationKind
  /** Upgrades this installation to the release that was found, or to the latest one while none was. */
  readonly command: string | undefined
}

/** What others may ask about upgrades. */
export interface UpgradeView {
  /** Asks nobody. */
  state(): UpgradeState
  /** Asks the registry, unless that was done just now. Rejects with `upgrade-failed`, or `upgrade-off` if it may not. */
  check(): Promise<UpgradeState>
}
