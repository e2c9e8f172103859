import type { FolderConfig } from '../../core/config/config.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { causeOf, type CauseCode } from '../../core/remedies/cause.ts'
import { remedyOf, type Evidence } from '../../core/remedies/remedy.ts'
import { remedyText } from '../../core/remedies/remedy-text.ts'
import type { Hub } from '../../model/model.ts'
import { REMEDY_ROUTES, type RemediesJson } from '../../rest/remedies.ts'
import { EMPTY_OK, json } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'
import type { RestDeps } from '../types.ts'
import { flagOf, folderOf } from './tree-query.ts'

/** Of a failing disk every file has an error: a few of them show the cause. */
const ERRORS_MAX = 1_000

type RemedyDeps = Pick<RestDeps, 'config'> & {
  readonly hub: Pick<Hub, 'folderErrors' | 'remedies' | 'status' | 'statusNow'>
}
type RemedyJson = RemediesJson[number]
type Trouble = Pick<RemedyJson, 'about' | 'cause' | 'items' | 'error'>

/** Routes of causes and remedies. */
export function remedyRoutes({ config, hub }: RemedyDeps): readonly Route[] {
  return bind(REMEDY_ROUTES, {
    'GET /rest/twinfold/remedies': async () => json(await allRemedies({ config, hub })),
    'POST /rest/twinfold/marker': async ({ query }) => {
      await hub.remedies.createMarker(folderOf(query), flagOf('force', query.first('force')))
      return EMPTY_OK
    },
  })
}

export async function allRemedies({ config, hub }: RemedyDeps): Promise<RemediesJson> {
  const active = config.current.folders.filter(({ paused }) => !paused)
  return (await Promise.all(active.map((folder) => remediesFor(hub, folder)))).flat()
}

async function remediesFor(hub: RemedyDeps['hub'], { id }: FolderConfig): Promise<readonly RemedyJson[]> {
  try {
    const found = await troublesOf(hub, id)
    return await Promise.all(
      found.map(async (trouble) => remedyJson(id, trouble, await hub.remedies.evidence(id, trouble.cause))),
    )
  } catch (error) {
    if (error instanceof TwinfoldError && error.code.startsWith('folder-')) return [] // removed or paused meanwhile
    throw error
  }
}

async function troublesOf(hub: RemedyDeps['hub'], id: FolderConfig['id']): Promise<readonly Trouble[]> {
  const { error, errorCount, watchError } = hub.statusNow(id) ?? (await hub.status(id))
  if (error !== '') return [{ about: 'folder', cause: causeOf(error), items: 0, error }]
  const failed = errorCount === 0 ? [] : await hub.folderErrors(id, { page: 1, perPage: ERRORS_MAX })
  const items = [...Map.groupBy(failed, (each) => causeOf(each.error))].map(([cause, of]): Trouble => ({
    about: 'items',
    cause,
    items: of.length,
    error: of[0]?.error ?? '',
  }))
  if (watchError === '') return items
  const cause = causeOf(watchError)
  return [...items, { about: 'watch', cause, items: 0, error: watchError }]
}

function remedyJson(folder: string, trouble: Trouble, evidence: Evidence): RemedyJson {
  const remedy = remedyOf(trouble.cause satisfies CauseCode, evidence)
  const { actions, command = null } = remedy
  const { path = null, files = null, space = null, watches } = evidence
  return {
    folder,
    ...trouble,
    ...remedyText(remedy, evidence),
    actions: [...actions],
    command,
    path,
    files,
    space,
    watches: watches === undefined ? null : { setting: watches.setting, allowed: watches.allowed ?? null },
  }
}
