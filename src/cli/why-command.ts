import type { Client } from '../client/client.ts'
import { CLI_EXIT, findFolder, type CliContext, type CliExit } from './context.ts'
import { escapeText } from './text.ts'

/** Prints the daemon's explanation of the state of a file. */
export async function why(
  context: CliContext,
  client: Client,
  text: string,
  file: string,
  options: { readonly json?: boolean },
): Promise<CliExit> {
  const folder = await findFolder(client, text)
  const reply = await client.call('GET /rest/twinfold/why', { query: { folder: folder.id, file } })
  const reasons = reply.reasons.map((reason) => reason.text)
  if (options.json) {
    const { upToDate, global, local } = reply
    context.print(JSON.stringify({ folder: folder.id, file, upToDate, reasons, global, local }, undefined, 2))
  } else {
    context.print(`${escapeText(file)} in folder "${escapeText(folder.id)}":`)
    for (const reason of reasons) context.print(`  - ${escapeText(reason)}`)
  }
  return CLI_EXIT.done
}
