import type { Client } from '../client/client.ts'
import { ClientError } from '../client/errors.ts'
import { folderExtensions } from '../core/config/extensions.ts'
import { isWithoutSafety } from '../core/config/safety.ts'
import { SEVERITIES } from '../core/doctor/check.ts'
import { worstSeverity } from '../core/doctor/diagnose.ts'
import { stopText } from '../core/remedies/stop-text.ts'
import type { DoctorFindingJson } from '../rest/doctor.ts'
import type { WarningsJson } from '../rest/twinfold.ts'
import { CLI_EXIT, type CliContext, type CliExit } from './context.ts'
import { shellWord } from './shell-words.ts'
import { escapeText, formatCount } from './text.ts'

export interface DoctorOptions {
  readonly json: boolean
  /** Checks that are left out. */
  readonly without?: readonly string[]
}

type Finding = Pick<DoctorFindingJson, 'message'> & Partial<DoctorFindingJson>

/**
 * Prints what is wrong with the device, the most severe first, each with evidence and remedy. Fails with an error
 * among it, and ends with problems where there are only warnings.
 */
export async function doctor(context: CliContext, client: Client, options: DoctorOptions): Promise<CliExit> {
  const [report, offers] = await Promise.all([reportOf(client), safetyOffers(context, client)])
  if (report === undefined) return await olderDoctor(context, client, options, offers)
  const isLeftOut = (code: string) => options.without?.includes(code) === true
  const findings = report.findings
    .filter(({ code }) => !isLeftOut(code))
    .map((finding) => ({ ...finding, command: withProgram(context, finding.command) }))
  if (options.json) context.print(JSON.stringify({ checks: report.checks, findings, offers }, undefined, 2))
  else {
    for (const line of findings.flatMap(findingLines)) context.print(line)
    printOffers(context, offers)
    context.print(summaryOf(findings, report.checks))
  }
  switch (worstSeverity(findings)) {
    case 'error':
      return CLI_EXIT.failed
    case 'warning':
      return CLI_EXIT.doneWithProblems
    default:
      return CLI_EXIT.done
  }
}

/** Undefined from a Syncthing, or an older Twinfold, which has no such route. */
async function reportOf(client: Client) {
  return await client.call('GET /rest/twinfold/doctor').catch((error: unknown): undefined => {
    if (!(error instanceof ClientError && error.failure === 'status')) throw error
  })
}

/** Commands name the program as it was started. */
function withProgram({ program }: CliContext, command: string | null): string | null {
  return command === null ? null : command.replaceAll(/(?<=^|&& )twinfold /g, `${program} `)
}

function summaryOf(findings: readonly DoctorFindingJson[], checks: number): string {
  const counts = SEVERITIES.flatMap((severity) => {
    const { length } = findings.filter((each) => each.severity === severity)
    return length === 0 ? [] : [formatCount(length, severity)]
  })
  const found = counts.length === 0 ? '' : `${counts.join(', ')}; `
  const isFine = worstSeverity(findings) === undefined || worstSeverity(findings) === 'notice'
  return `${isFine ? 'No problems found. ' : ''}${found}${formatCount(checks, 'check')} made.`
}

interface Offer {
  readonly message: string
  readonly command: string
}

function printOffers(context: CliContext, offers: readonly Offer[]): void {
  for (const { message, command } of offers) {
    context.print(`Offer: ${escapeText(message)}`)
    context.print(`  Command: ${escapeText(command)}`)
  }
}

/** Folders without the safety that those made here have: their owner decides, so that is no problem. */
async function safetyOffers(context: CliContext, client: Client): Promise<readonly Offer[]> {
  const settings = await client.call('GET /rest/twinfold/settings').catch((error: unknown): undefined => {
    if (!(error instanceof ClientError && error.failure === 'status')) throw error
  })
  if (settings === undefined) return []
  const folders = await client.folders()
  return folders
    .filter((folder) => isWithoutSafety(folder, folderExtensions(settings, folder.id)))
    .map(({ id, versioning }) => ({
      message:
        `folder "${id}" ` +
        (versioning.type === '' ? 'keeps no deleted or replaced files' : 'does not hold mass deletions'),
      command: `${context.program} folder set ${shellWord(id)} --safety on`,
    }))
}

/** What can be found out of a daemon that does not examine itself. */
async function olderDoctor(
  context: CliContext,
  client: Client,
  { json }: DoctorOptions,
  offers: readonly Offer[],
): Promise<CliExit> {
  const [warnings, folders] = await Promise.all([warningsOf(client), folderFindings(client)])
  const findings: readonly Finding[] = [...warnings, ...folders]
  if (json) context.print(JSON.stringify({ findings, offers }, undefined, 2))
  else {
    if (findings.length === 0) context.print('No problems found.')
    for (const line of findings.flatMap(findingLines)) context.print(line)
    printOffers(context, offers)
  }
  return findings.length === 0 ? CLI_EXIT.done : CLI_EXIT.failed
}

/** A Syncthing, or an older Twinfold, has no such route and therefore no warnings. */
export async function warningsOf(client: Client): Promise<WarningsJson> {
  try {
    return await client.call('GET /rest/twinfold/warnings')
  } catch (error) {
    if (error instanceof ClientError && error.failure === 'status') return []
    throw error
  }
}

const TITLES = { error: 'Error', warning: 'Warning', notice: 'Notice' } as const

export function findingLines({ message, severity, evidence, remedy, command, code }: Finding): readonly string[] {
  const lines: readonly (readonly [string, string | null | undefined])[] = [
    ['Evidence', evidence],
    ['Remedy', remedy],
    ['Command', command],
  ]
  const name = severity === undefined ? '' : ` [${escapeText(code ?? '')}]`
  return [
    `${TITLES[severity ?? 'warning']}: ${escapeText(message)}${name}`,
    ...lines.flatMap(([title, text]) =>
      text === undefined || text === null ? [] : [`  ${title}: ${escapeText(text)}`],
    ),
  ]
}

async function folderFindings(client: Client): Promise<readonly Finding[]> {
  const folders = await client.folders()
  const statuses = await Promise.all(
    folders
      .filter(({ paused }) => !paused)
      .map(async (config) => ({ config, status: await client.folderStatus(config.id) })),
  )
  return statuses.flatMap(({ config: { id, path, markerName }, status }) => [
    ...(status.error === ''
      ? []
      : [{ message: `folder "${id}" is stopped: ${stopText(status.error, { path, markerName })}` }]),
    ...(status.errors === 0
      ? []
      : [
          {
            message: `folder "${id}" has items that could not be synchronized: ${status.errors}`,
            remedy: `see them with "status ${id}"`,
          },
        ]),
  ])
}
