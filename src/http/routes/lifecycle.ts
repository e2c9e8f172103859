import type { ConfigStore } from '../../config/types.ts'
import type { Config } from '../../core/config/config.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { parseFolderId, type FolderId } from '../../core/ids.ts'
import { LIFECYCLE_ROUTES } from '../../rest/system-routes.ts'
import type { UpgradeView } from '../../upgrade/types.ts'
import type { Query } from '../pipeline/query.ts'
import { TEXT_TYPE, json, text, type Reply } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'
import type { Lifecycle } from '../types.ts'
import { refusalText, upgradeJson } from '../views/upgrade.ts'

export interface LifecycleRouteDeps {
  readonly config: ConfigStore
  readonly lifecycle: Lifecycle
  readonly upgrade: UpgradeView
}

/** Shutdown, restart, reset and upgrade. */
export function lifecycleRoutes({ config, lifecycle, upgrade }: LifecycleRouteDeps): readonly Route[] {
  return bind(LIFECYCLE_ROUTES, {
    'POST /rest/system/shutdown': () => replyThen('shutting down', () => lifecycle.shutdown()),
    'POST /rest/system/restart': () => replyThen('restarting', () => lifecycle.restart()),
    'POST /rest/system/reset': ({ query }) => reset(config.current, lifecycle, query),
    'GET /rest/system/upgrade': async () => json(upgradeJson(await upgrade.check())),
    'POST /rest/system/upgrade': () => text(501, refusalText(upgrade.state())),
  })
}

/** The index is deleted before the reply is sent. */
async function reset(config: Config, lifecycle: Lifecycle, query: Query<'folder'>): Promise<Reply> {
  const { folders, message } = resetTarget(config, query)
  await lifecycle.deleteIndexes(folders)
  return replyThen(message, () => lifecycle.restart())
}

/** The folders to reset, and the message of the reply. A running folder would write its index during the reset. */
function resetTarget(
  config: Config,
  query: Query<'folder'>,
): { readonly folders: readonly FolderId[]; readonly message: string } {
  const named = parseFolderId(query.first('folder'))
  const meant = named === undefined ? config.folders : config.folders.filter(({ id }) => id === named)
  if (named !== undefined && meant.length === 0) throw new TwinfoldError('folder-missing', 'Invalid folder ID')
  if (meant.some(({ paused }) => !paused)) {
    throw new TwinfoldError('folder-error', 'folder must be paused when resetting')
  }
  const message = named === undefined ? 'resetting database' : `resetting folder ${named}`
  return { folders: meant.map(({ id }) => id), message }
}

/** Runs the action after the last byte of the reply has been passed on. */
function replyThen(message: string, act: () => void): Reply {
  async function* body() {
    try {
      yield `{"ok": ${JSON.stringify(message)}}\n`
    } finally {
      act()
    }
  }
  return { status: 200, contentType: TEXT_TYPE, body: body() }
}
