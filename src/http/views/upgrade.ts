import { LIFECYCLE_ROUTES } from '../../rest/system-routes.ts'
import type { UpgradeDetailsJson, UpgradeJson } from '../../rest/upgrade.ts'
import type { UpgradeState } from '../../upgrade/types.ts'
import { formatMs } from './times.ts'

/** The start of every error text, which clients compare. */
const UNSUPPORTED = LIFECYCLE_ROUTES['GET /rest/system/upgrade'].errors['upgrade-off'].text

/** The reply in Syncthing's format: `newer` and `majorNewer` exclude each other. */
export function upgradeJson({ running, release }: UpgradeState): UpgradeJson {
  return {
    latest: `v${release?.version ?? running}`,
    majorNewer: release?.relation === 'major-newer',
    newer: release?.relation === 'newer',
    running: `v${running}`,
  }
}

export function upgradeDetailsJson(state: UpgradeState): UpgradeDetailsJson {
  const { release } = state
  return {
    running: `v${state.running}`,
    checks: state.checks,
    source: state.source ?? null,
    checked: state.checkedMs === undefined ? null : formatMs(state.checkedMs),
    error: state.error,
    latest: release === undefined ? null : `v${release.version}`,
    available: release?.relation.endsWith('newer') === true,
    major: release?.relation === 'major-newer',
    changes: (release?.changes ?? []).map(({ version, text }) => ({ version: `v${version}`, text })),
    installation: state.installation,
    command: state.command ?? null,
  }
}

/** The daemon never replaces its own files: a package manager cannot upgrade files that it did not install. */
export function refusalText(state: UpgradeState): string {
  if (state.checks === 'forbidden') return UNSUPPORTED
  const how =
    state.command === undefined
      ? 'install the new version the way this one was installed'
      : `run this on its machine, then restart it: ${state.command}`
  return `${UNSUPPORTED}: Twinfold does not replace itself; ${how}`
}
