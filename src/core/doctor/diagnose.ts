import { SEVERITIES, type DoctorCheck, type DoctorFinding, type Severity } from './check.ts'
import { DEVICE_CHECKS } from './device-checks.ts'
import { DISK_CHECKS } from './disk-checks.ts'
import type { DoctorFacts } from './facts.ts'
import { FOLDER_CHECKS } from './folder-checks.ts'
import { NETWORK_CHECKS } from './network-checks.ts'

export const DOCTOR_CHECKS: readonly DoctorCheck[] = [
  ...FOLDER_CHECKS,
  ...DISK_CHECKS,
  ...NETWORK_CHECKS,
  ...DEVICE_CHECKS,
]

/** Everything that the checks find, the most severe first. */
export function diagnose(facts: DoctorFacts): readonly DoctorFinding[] {
  const found = DOCTOR_CHECKS.flatMap(({ code, find }) => find(facts).map((finding) => ({ code, ...finding })))
  return found.sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
}

/** The worst severity; undefined without findings. */
export function worstSeverity(findings: readonly Pick<DoctorFinding, 'severity'>[]): Severity | undefined {
  return SEVERITIES.find((severity) => findings.some((finding) => finding.severity === severity))
}
