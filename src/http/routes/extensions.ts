import type { ConfigStore, ExtensionStore } from '../../config/types.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { EXTENSION_ROUTES } from '../../rest/extensions.ts'
import { readBody } from '../../rest/read-body.ts'
import { parseJson } from '../pipeline/json.ts'
import { json } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'

const BODY_BYTES_MAX = 1024 * 1024

export interface ExtensionRouteDeps {
  readonly extensions: ExtensionStore
  readonly config: Pick<ConfigStore, 'current'>
}

/** Routes of the settings that Syncthing does not have. */
export function extensionRoutes({ extensions, config }: ExtensionRouteDeps): readonly Route[] {
  return bind(EXTENSION_ROUTES, {
    'GET /rest/twinfold/settings': () => json(extensions.current),
    'PATCH /rest/twinfold/settings': async ({ request }) => {
      const { body } = EXTENSION_ROUTES['PATCH /rest/twinfold/settings']
      const patch = readBody(body, parseJson(await request.body(BODY_BYTES_MAX)))
      for (const id of Object.keys(patch.folders ?? {})) {
        if (config.current.folders.some((folder) => folder.id === id)) continue
        throw new TwinfoldError('folder-missing', `there is no folder ${id}`)
      }
      return json(await extensions.change(patch))
    },
  })
}
