import type { UpgradeDetailsJson } from '../../src/rest/upgrade.ts'

/** What has to be done besides running the command. */
type UpgradeStep = 'restart' | OwnStep | 'unknown'
const OWN_STEPS = ['container', 'npx', 'single-file'] as const
type OwnStep = (typeof OWN_STEPS)[number]

export interface UpgradeNotice {
  readonly latest: string
  readonly running: string
  readonly major: boolean
  readonly changes: UpgradeDetailsJson['changes']
  readonly command: string | undefined
  readonly nextStep: UpgradeStep
}

/** The notice to show; undefined when nothing is newer, or when this version was dismissed. */
export function upgradeNotice(details: UpgradeDetailsJson | undefined, dismissed: string): UpgradeNotice | undefined {
  if (details === undefined || !details.available || details.latest === null || details.latest === dismissed)
    return undefined
  const { latest, running, major, changes, command, installation } = details
  return {
    latest,
    running,
    major,
    changes: changes.filter(({ text }) => text !== ''),
    command: command ?? undefined,
    nextStep: stepOf(command, installation),
  }
}

function stepOf(command: string | null, installation: UpgradeDetailsJson['installation']): UpgradeStep {
  if (command === null) return 'unknown'
  return OWN_STEPS.find((step) => step === installation) ?? 'restart'
}
