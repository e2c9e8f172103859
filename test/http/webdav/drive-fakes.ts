import type { FolderConfig, GuiConfig } from '../../../src/core/config/config.ts'
import type { FileHead } from '../../../src/core/records/file-info.ts'
import type { FolderId } from '../../../src/core/ids.ts'
import { parentOf } from '../../../src/core/paths.ts'
import type { FolderExplorer } from '../../../src/model/queries/explorer.ts'
import type { RestDeps } from '../../../src/http/types.ts'
import { fakeRest, KEY } from '../fakes.ts'

export const basic = (user: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

interface DriveOptions {
  readonly items?: readonly FileHead[]
  readonly gui?: Partial<GuiConfig>
  readonly folder?: Partial<FolderConfig>
  /** Replaces methods of the explorer. */
  readonly explorer?: Partial<FolderExplorer>
  readonly deps?: Partial<RestDeps>
  readonly off?: boolean
}

/** A REST interface with the drive on, whose one folder `share` has these items. */
export async function fakeDrive({ items = [], gui, folder, explorer, deps, off = false }: DriveOptions = {}) {
  const rest = fakeRest({
    ...(gui && { gui }),
    ...(folder && { folder }),
    ...(deps && { deps }),
    explorer: {
      globalItem: async (_folder: FolderId, name: string) => items.find((item) => item.name === name),
      globalLevel: async function* (_folder: FolderId, directory: string) {
        for (const item of items) if (parentOf(item.name) === directory) yield [item]
      },
      ...explorer,
    },
  })
  if (!off) await rest.send('PATCH', '/rest/twinfold/settings', '{"drive": true}')
  const ask = (method: string, target: string, headers: Readonly<Record<string, string>> = {}, body?: string) =>
    rest.call({ method, target, headers: { 'X-API-Key': KEY, ...headers }, ...(body !== undefined && { body }) })
  /** The addresses that a PROPFIND lists. */
  const list = async (target: string, depth = '1'): Promise<readonly string[]> => {
    const reply = await ask('PROPFIND', target, { Depth: depth })
    if (reply.status !== 207) throw new Error(`${reply.status}: ${reply.body}`)
    return Array.from(reply.body.matchAll(/<D:href>(.*?)<\/D:href>/g), ([, href]) => href ?? '')
  }
  return { ...rest, ask, list }
}
