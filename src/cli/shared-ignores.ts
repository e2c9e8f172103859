import type { Client } from '../client/client.ts'
import { TwinfoldError } from '../core/errors.ts'
import type { SharedIgnoresJson } from '../rest/extensions.ts'
import type { CliContext } from './context.ts'
import { escapeText, formatCount } from './text.ts'

/** Prints what switching the shared patterns changes here. Throws `refused` if that is anything. */
export async function askSharedIgnores(
  context: CliContext,
  client: Client,
  folder: string,
  isOn: boolean,
): Promise<void> {
  const found = await client.call('GET /rest/twinfold/shared-ignores', { query: { folder } })
  if (found.enabled === isOn) return
  if (isOn && found.problem !== null) {
    context.printError(`.stglobalignore is not used: ${escapeText(found.problem)}`)
  }
  const { ignoredTotal, announcedTotal } = found.change
  if (ignoredTotal + announcedTotal === 0) return
  for (const line of changeLines(found)) context.print(line)
  throw new TwinfoldError('refused', 'nothing was changed; use --yes to switch them all the same')
}

function changeLines({ change }: SharedIgnoresJson): readonly string[] {
  const { ignored, ignoredTotal, announced, announcedTotal, checkedTotal, truncated } = change
  return [
    ...part(
      'would be ignored here: they stay, and changes of them are neither sent nor received',
      ignoredTotal,
      ignored,
    ),
    ...part('would not be ignored any more: all devices get them', announcedTotal, announced),
    ...(truncated ? [`Only the first ${formatCount(checkedTotal, 'name')} were checked.`] : []),
  ]
}

function part(text: string, total: number, examples: readonly string[]): readonly string[] {
  if (total === 0) return []
  const more = total - examples.length
  return [
    `${formatCount(total, 'item')} ${text}`,
    ...examples.map((name) => `  ${escapeText(name)}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ]
}
