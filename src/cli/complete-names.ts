import type { Client } from '../client/client.ts'
import { CLI_EXIT, type CliContext, type CliExit } from './context.ts'

/** Names with control characters are left out: a shell would split or run them. */
const PRINTABLE = /^[^\p{Cc}]+$/u

/** Prints the names of one kind, one per line: IDs and labels of folders, names of devices (the ID without one). */
export async function completeNames(context: CliContext, client: Client, kind: string): Promise<CliExit> {
  let names: string[] = []
  if (kind === 'folders' || kind === 'both') {
    for (const { id, label } of await client.folders()) names.push(id, label)
  }
  if (kind === 'devices' || kind === 'both') {
    for (const { name, deviceID } of await client.devices()) names.push(name === '' ? deviceID : name)
  }
  if (kind === 'pending') {
    names = names.concat(Object.keys(await client.call('GET /rest/cluster/pending/devices')))
    names = names.concat(Object.keys(await client.call('GET /rest/cluster/pending/folders')))
  }
  if (kind === 'nearby') {
    const known = new Set<string>((await client.devices()).map(({ deviceID }) => deviceID))
    const found = Object.keys(await client.call('GET /rest/system/discovery'))
    names = names.concat(found.filter((id) => !known.has(id)))
  }
  for (const name of new Set(names)) if (PRINTABLE.test(name)) context.print(name)
  return CLI_EXIT.done
}
