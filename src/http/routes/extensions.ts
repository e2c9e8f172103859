import type { ConfigStore, ExtensionStore } from '../../config/types.ts'
import type { Grant } from '../../core/access.ts'
import type { Extensions } from '../../core/config/extensions.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { checkMergePatterns } from '../../core/merge/rules.ts'
import type { FolderExplorer } from '../../model/queries/explorer.ts'
import { EXTENSION_ROUTES, type SharedIgnoresJson } from '../../rest/extensions.ts'
import { readBody } from '../../rest/read-body.ts'
import { parseJson } from '../pipeline/json.ts'
import { json } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'
import type { UndoLog } from '../pipeline/undo-log.ts'
import { folderOf } from './tree-query.ts'

const BODY_BYTES_MAX = 1024 * 1024
const ENCRYPTED =
  'an encrypted folder has neither names to ignore nor files to keep or merge: ' +
  'set it on a device that can read the folder'

export interface ExtensionRouteDeps {
  readonly extensions: ExtensionStore
  readonly config: Pick<ConfigStore, 'current'>
  explorer(): Promise<FolderExplorer>
  readonly undo: UndoLog
  readonly grant?: Grant
}

/** Routes of the settings that Syncthing does not have. */
export function extensionRoutes({ extensions, config, explorer, undo, grant }: ExtensionRouteDeps): readonly Route[] {
  return bind(EXTENSION_ROUTES, {
    'GET /rest/twinfold/settings': () => json(shown(extensions.current)),
    'PATCH /rest/twinfold/settings': async ({ request }) => {
      const { body } = EXTENSION_ROUTES['PATCH /rest/twinfold/settings']
      const patch = readBody(body, parseJson(await request.body(BODY_BYTES_MAX)))
      for (const [id, settings] of Object.entries(patch.folders ?? {})) {
        const folder = config.current.folders.find((each) => each.id === id)
        if (folder === undefined) throw new TwinfoldError('folder-missing', `there is no folder ${id}`)
        const isAny = [settings.collect, settings.sharedIgnores, settings.guard].includes(true)
        const isMerging = (settings.merge ?? 'off') !== 'off'
        if ((isAny || isMerging) && folder.type === 'receiveencrypted')
          throw new TwinfoldError('bad-request', ENCRYPTED)
        checkMergePatterns(settings)
        if (settings.archiveLocal === true) await (await explorer()).requireLocalArchive(folder.id)
      }
      const before = extensions.current
      const after = await extensions.change(patch)
      return undo.offer({ request, grant }, json(shown(after)), () => ({ kind: 'settings', before, after }))
    },
    'GET /rest/twinfold/shared-ignores': async ({ query, request }) => {
      const found = await (await explorer()).sharedIgnores(folderOf(query), request.signal)
      return json(found satisfies SharedIgnoresJson)
    },
  })
}

/** The rules of the schedule have routes of their own. */
function shown(settings: Extensions): Omit<Extensions, 'schedule'> {
  const { drive, meteredLocalOnly, inhibitSleep, folders } = settings
  return { drive, meteredLocalOnly, inhibitSleep, folders }
}
