import type { Client } from '../client/client.ts'
import { CLI_EXIT, findFolder, type CliContext, type CliExit } from './context.ts'
import { escapeText, formatCount } from './text.ts'

const LIMIT_DEFAULT = 200

export interface FindOptions {
  readonly limit?: number
  readonly json?: boolean
}

interface FoundName {
  readonly folder: string
  readonly name: string
  readonly type: string
}

/** Prints the names that contain a text, in one folder or in all, as they are found. */
export async function findFiles(
  context: CliContext,
  client: Client,
  [text = '', given]: readonly (string | undefined)[],
  { limit = LIMIT_DEFAULT, json }: FindOptions,
): Promise<CliExit> {
  const options = { limit, signal: context.signal }
  const folder = given === undefined ? undefined : (await findFolder(client, given)).id
  let items: readonly FoundName[] = []
  let [searched, isComplete] = [0, false]
  for await (const progress of folder === undefined
    ? client.find(text, options)
    : client.search(folder, text, options)) {
    const added = progress.items.slice(items.length).map((item) => ({ folder: folder ?? '', ...item }))
    items = items.concat(added)
    searched = progress.searched
    isComplete = !progress.truncated
    if (json) continue
    context.redraw('')
    for (const each of added) context.print(lineOf(each, folder === undefined))
    if (progress.isRunning) context.redraw(`${formatCount(searched, 'name')} compared …`)
  }
  if (json) {
    const found = items.map(({ folder: id, name, type }) => ({ folder: id, name, type }))
    context.print(JSON.stringify({ items: found, searched, truncated: !isComplete }, undefined, 2))
  } else if (items.length === 0) {
    context.print(`No name contains "${escapeText(text)}": ${formatCount(searched, 'name')} compared.`)
  } else if (!isComplete) {
    context.printError(`The first ${items.length}; there may be more: --limit COUNT shows them.`)
  }
  return CLI_EXIT.done
}

function lineOf({ folder, name, type }: FoundName, isAnyFolder: boolean): string {
  const path = escapeText(type === 'directory' ? `${name}/` : name)
  return isAnyFolder ? `${escapeText(folder)}  ${path}` : path
}
