import type { Client } from '../client/client.ts'
import type { Json, JsonObject } from '../core/config/config-json.ts'
import { isJsonObject } from '../core/config/config-json.ts'
import type { AppliedSetupJson, SetupChangeJson } from '../rest/setup.ts'
import { CLI_EXIT, type CliContext, type CliExit } from './context.ts'
import { readSetupFile } from './setup-file.ts'
import { escapeText, formatCount } from './text.ts'

export interface ApplyOptions {
  readonly file: string
  readonly check: boolean
  readonly prune: boolean
  readonly resetDrift: boolean
  readonly json: boolean
}

/** Applies a set-up file. With `check`, nothing is changed, and differences have an exit code of their own. */
export async function applySetup(context: CliContext, client: Client, options: ApplyOptions): Promise<CliExit> {
  const { file, check, prune, resetDrift } = options
  const document = withoutKey(
    await readSetupFile(file === '-' ? { ...context, readText: () => inputText(context) } : context, file),
  )
  const result = await client.call('POST /rest/twinfold/setup', { body: { document, check, prune, resetDrift } })
  if (options.json) context.print(JSON.stringify(result, undefined, 2))
  else for (const line of resultLines(result, check)) context.print(line)
  const isDifferent = result.changes.length + result.drift.length > 0
  return check && isDifferent ? CLI_EXIT.different : CLI_EXIT.done
}

async function inputText(context: CliContext): Promise<string> {
  const lines: string[] = []
  for await (const line of context.inputLines()) lines.push(line)
  return lines.join('\n')
}

/** The private key of the device stays where it is: a running daemon has its own. */
function withoutKey(document: JsonObject): JsonObject {
  const identity: Json | undefined = document['identity']
  if (identity === undefined || !isJsonObject(identity)) return document
  const { key: _, ...rest } = identity
  return { ...document, identity: rest }
}

export async function exportSetup(
  context: CliContext,
  client: Client,
  options: { readonly output?: string; readonly json: boolean },
): Promise<CliExit> {
  const document = await client.call('GET /rest/twinfold/setup')
  const text = options.json
    ? `${JSON.stringify(document, undefined, 2)}\n`
    : (await import('yaml')).stringify(document, { lineWidth: 0 })
  if (options.output === undefined) context.print(text.trimEnd())
  else await context.writeNew(options.output, new TextEncoder().encode(text))
  return CLI_EXIT.done
}

const SIGN = { add: '+', change: '~', remove: '-' } as const

function resultLines({ changes, drift, leftovers }: AppliedSetupJson, check: boolean): readonly string[] {
  const count = formatCount(changes.length, 'change')
  const left = drift.length === 0 ? '' : `; ${formatCount(drift.length, 'difference')} left alone`
  const made = changes.length === 0 ? 'Nothing to change' : check ? `${count}; nothing was changed` : `${count} applied`
  return [
    ...changes.map((change) => `${SIGN[change.action]} ${lineOf(change)}`),
    ...drift.map((change) => `! ${lineOf(change)} (changed here since; --reset-drift sets it again)`),
    ...leftovers.map((change) => `? ${lineOf(change)} (made by an earlier file; --prune removes it)`),
    `${made}${left}.`,
  ]
}

function lineOf({ object, field, from, to, secret }: SetupChangeJson): string {
  const name = field === '' ? object : `${object}: ${field}`
  if (secret || (from === null && to === null) || (field === '' && to === 'true')) return escapeText(name)
  return escapeText(from === null ? `${name} ${to ?? ''}` : `${name} ${from} → ${to ?? 'nothing'}`)
}
