import type { ConfigStore, ExtensionStore } from '../../config/types.ts'
import type { Grant } from '../../core/access.ts'
import { settingsUndo, withoutChange, type Undone } from '../../core/config/undo-change.ts'
import { TwinfoldError } from '../../core/errors.ts'
import type { Hub } from '../../model/model.ts'
import { readBody } from '../../rest/read-body.ts'
import { UNDO_ROUTES } from '../../rest/undo.ts'
import { parseJson } from '../pipeline/json.ts'
import { EMPTY_OK } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'
import type { UndoableChange, UndoLog } from '../pipeline/undo-log.ts'

const BODY_BYTES_MAX = 64 * 1024

export interface UndoRouteDeps {
  readonly undo: UndoLog
  readonly config: Pick<ConfigStore, 'change'>
  readonly extensions: Pick<ExtensionStore, 'change' | 'current'>
  readonly hub: Pick<Hub, 'ignores' | 'setIgnores' | 'undoConflicts'>
  readonly grant?: Grant
}

/** The undo of what a client has changed, in one request. */
export function undoRoutes(deps: UndoRouteDeps): readonly Route[] {
  return bind(UNDO_ROUTES, {
    'POST /rest/twinfold/undo': async ({ request }) => {
      const { body } = UNDO_ROUTES['POST /rest/twinfold/undo']
      const { tokens } = readBody(body, parseJson(await request.body(BODY_BYTES_MAX)))
      const changes = deps.undo.find(tokens, deps.grant)
      await undoAll(deps, changes)
      deps.undo.forget(tokens)
      return EMPTY_OK
    },
  })
}

/** What may be refused is tried or checked before anything is changed. */
async function undoAll(deps: UndoRouteDeps, changes: readonly UndoableChange[]): Promise<void> {
  const settings = changes.filter((change) => change.kind === 'settings')
  const configs = changes.filter((change) => change.kind === 'config')
  const ignores = changes.filter((change) => change.kind === 'ignores')
  const conflicts = changes.filter((change) => change.kind === 'conflicts')
  // Of two changes of the same settings the later one is undone first, so only the first can be checked here.
  const [last] = settings
  if (last !== undefined) undoneOf(settingsUndo(deps.extensions.current, last.before, last.after))
  const checked = new Set<string>()
  for (const change of ignores) {
    if (!checked.has(change.folder)) await checkIgnores(deps.hub, change)
    checked.add(change.folder)
  }
  if (configs.length > 0)
    await deps.config.change((current) =>
      configs.reduce((config, { before, after }) => undoneOf(withoutChange(config, before, after)), current),
    )
  for (const { before, after } of settings)
    await deps.extensions.change(undoneOf(settingsUndo(deps.extensions.current, before, after)))
  for (const { folder, before } of ignores) await deps.hub.setIgnores(folder, before)
  for (const [folder, group] of Map.groupBy(conflicts, (change) => change.folder))
    await deps.hub.undoConflicts(
      folder,
      group.flatMap(({ resolved }) => resolved),
    )
}

async function checkIgnores(
  hub: Pick<Hub, 'ignores'>,
  { folder, after }: UndoableChange & { readonly kind: 'ignores' },
): Promise<void> {
  const { ignore, error } = await hub.ignores(folder)
  if (error !== null && ignore === null) throw new TwinfoldError('refused', error)
  if (JSON.stringify(ignore ?? []) !== JSON.stringify(after)) throw changedSince('the ignore patterns')
}

function undoneOf<T>(undone: Undone<T>): T {
  if (undone.kind === 'changed') throw changedSince(undone.what)
  return undone.next
}

function changedSince(what: string): TwinfoldError {
  return new TwinfoldError('refused', `${what}: changed since; nothing was undone`)
}
