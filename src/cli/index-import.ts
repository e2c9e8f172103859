import type { Client } from '../client/client.ts'
import { ClientError } from '../client/errors.ts'
import type { IndexImportJson } from '../rest/index-import.ts'
import { escapeText } from './text.ts'

/** A Syncthing, or an older Twinfold, has no such route and imports nothing. */
export async function importOf(client: Client): Promise<IndexImportJson> {
  try {
    return (await client.call('GET /rest/twinfold/index-import')).progress
  } catch (error) {
    if (error instanceof ClientError && error.failure === 'status') return null
    throw error
  }
}

export function importText(progress: NonNullable<IndexImportJson>): string {
  const { version, folder, folderNumber, folderCount, items, totalItems } = progress
  const index = `the index of Syncthing ${version}`
  if (folder === '') return index
  const place = `folder ${folderNumber} of ${folderCount} (${escapeText(folder)})`
  return `${index}: ${place}, ${items} of about ${totalItems} items`
}
