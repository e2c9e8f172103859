import { SEVERITIES } from '../core/doctor/check.ts'
import type { Declarations } from './declaration.ts'
import { COUNT, TEXT, described, list, nullable, object, type Static } from './schema.ts'

const FINDING = object({
  code: described(TEXT, 'The name of the check, which does not change.'),
  severity: described(
    { enum: SEVERITIES } as const,
    '`error`: something does not work, or data is at risk; `warning`: it will, or may; `notice`: good to know.',
  ),
  message: TEXT,
  evidence: described(TEXT, 'What shows it, with numbers.'),
  remedy: TEXT,
  command: described(nullable(TEXT), 'A line for a shell that carries the remedy out, or begins to.'),
  folder: described(nullable(TEXT), 'The folder that it is about.'),
  device: described(nullable(TEXT), 'The name of the device that it is about.'),
})

const DOCTOR = object({
  checks: described(COUNT, 'The number of checks that were made.'),
  findings: described(list(FINDING), 'The most severe first.'),
})

export type DoctorJson = Static<typeof DOCTOR>
export type DoctorFindingJson = DoctorJson['findings'][number]

export const DOCTOR_ROUTES = {
  'GET /rest/twinfold/doctor': {
    scope: 'monitor',
    summary:
      'Checks folders, disks, devices and settings, and returns what is wrong, each with evidence and a remedy. ' +
      'It reads directories and indexes: for people, not to be polled.',
    reply: { is: 'json', schema: DOCTOR },
  },
} as const satisfies Declarations
