import type { Client } from '../client/client.ts'
import { ClientError } from '../client/errors.ts'
import { folderExtensions } from '../core/config/extensions.ts'
import { isWithoutSafety } from '../core/config/safety.ts'
import { stopText } from '../core/folder-stop.ts'
import type { WarningsJson } from '../rest/twinfold.ts'
import { CLI_EXIT, type CliContext, type CliExit } from './context.ts'
import { shellWord } from './shell-words.ts'
import { escapeText } from './text.ts'

interface Finding {
  readonly message: string
  readonly remedy?: string
}

/** Prints what is wrong with the device, each with its remedy; fails if anything is. */
export async function doctor(
  context: CliContext,
  client: Client,
  { json }: { readonly json: boolean },
): Promise<CliExit> {
  const [warnings, folders, offers] = await Promise.all([
    warningsOf(client),
    folderFindings(client),
    safetyOffers(context, client),
  ])
  const findings: readonly Finding[] = [...warnings, ...folders]
  if (json) context.print(JSON.stringify({ findings, offers }, undefined, 2))
  else {
    if (findings.length === 0) context.print('No problems found.')
    for (const line of findings.flatMap(findingLines)) context.print(line)
    for (const { message, command } of offers) {
      context.print(`Offer: ${escapeText(message)}`)
      context.print(`  Command: ${escapeText(command)}`)
    }
  }
  return findings.length === 0 ? CLI_EXIT.done : CLI_EXIT.failed
}

interface Offer {
  readonly message: string
  readonly command: string
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

/** A Syncthing, or an older Twinfold, has no such route and therefore no warnings. */
export async function warningsOf(client: Client): Promise<WarningsJson> {
  try {
    return await client.call('GET /rest/twinfold/warnings')
  } catch (error) {
    if (error instanceof ClientError && error.failure === 'status') return []
    throw error
  }
}

export function findingLines({ message, remedy }: Finding): readonly string[] {
  const lines = [`Warning: ${escapeText(message)}`]
  return remedy === undefined ? lines : [...lines, `  Remedy: ${escapeText(remedy)}`]
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
