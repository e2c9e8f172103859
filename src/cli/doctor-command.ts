import type { Client } from '../client/client.ts'
import { ClientError } from '../client/errors.ts'
import { stopText } from '../core/folder-stop.ts'
import type { WarningsJson } from '../rest/twinfold.ts'
import { CLI_EXIT, type CliContext, type CliExit } from './context.ts'
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
  const [warnings, folders] = await Promise.all([warningsOf(client), folderFindings(client)])
  const findings: readonly Finding[] = [...warnings, ...folders]
  if (json) context.print(JSON.stringify({ findings }, undefined, 2))
  else if (findings.length === 0) context.print('No problems found.')
  else for (const line of findings.flatMap(findingLines)) context.print(line)
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
