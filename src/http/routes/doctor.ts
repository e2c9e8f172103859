import { diagnose, DOCTOR_CHECKS } from '../../core/doctor/diagnose.ts'
import type { DoctorFacts, TroubleFacts } from '../../core/doctor/facts.ts'
import { isFolderVisible } from '../../core/access.ts'
import { DOCTOR_ROUTES, type DoctorFindingJson, type DoctorJson } from '../../rest/doctor.ts'
import { json } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'
import type { RestDeps } from '../types.ts'
import { allRemedies } from './remedies.ts'
import { disksJson } from './series.ts'

const DAY_MS = 86_400_000

type DoctorDeps = Pick<RestDeps, 'clock' | 'config' | 'disks' | 'doctorFacts' | 'grant' | 'hub' | 'series'>

/** What is wrong with the device. One examination at a time: it reads disks and indexes. */
export function doctorRoutes(deps: DoctorDeps): readonly Route[] {
  let running: Promise<DoctorJson> | undefined
  return bind(DOCTOR_ROUTES, {
    'GET /rest/twinfold/doctor': async () => {
      running ??= examine(deps).finally(() => (running = undefined))
      return json(await running)
    },
  })
}

async function examine(deps: DoctorDeps): Promise<DoctorJson> {
  const { clock, grant } = deps
  const [device, disks, remedies] = await Promise.all([deps.doctorFacts(), disksJson(deps), allRemedies(deps)])
  const facts: DoctorFacts = {
    ...device,
    disks: disks.map(({ forecast, ...disk }) => ({
      ...disk,
      daysLeft: forecast === null ? undefined : (Date.parse(forecast.full) - clock.nowMs()) / DAY_MS,
    })),
    troubles: remedies.map(({ folder, about, cause, items, message, remedy, command }): TroubleFacts => ({
      folder,
      about,
      cause,
      items,
      message,
      remedy,
      command: command ?? undefined,
    })),
  }
  const findings = diagnose(facts).map(
    ({ code, severity, message, evidence, remedy, command, folder, device: name }): DoctorFindingJson => ({
      code,
      severity,
      message,
      evidence,
      remedy,
      command: command ?? null,
      folder: folder ?? null,
      device: name ?? null,
    }),
  )
  const limit = grant?.folders
  // Who may only see some folders learns nothing of the device and of others.
  const visible =
    limit === undefined ? findings : findings.filter(({ folder }) => folder !== null && isFolderVisible(limit, folder))
  return { checks: DOCTOR_CHECKS.length, findings: visible }
}
