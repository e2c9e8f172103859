import { ClientError } from '../../../src/client/errors.ts'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { ConflictJson } from '../../../src/rest/conflicts.ts'
import { runAction, showDone } from '../../app/run-action.ts'
import { changeWithUndo } from '../../app/undo.ts'
import { openDialog } from '../../base/dialogs.tsx'
import { Store } from '../../base/store.ts'
import { t } from '../../i18n/texts.ts'
import { client } from '../../live/client.ts'
import { live, reloadParts } from '../../live/live.ts'
import { confirm } from '../../ui/confirm.tsx'
import { FailedDialog } from './restore-versions.tsx'

/** How many requests that resolve conflicts run now: what is shown of these conflicts is about to be outdated. */
export const resolving = new Store(0)

/** Conflict copies in one request; the daemon refuses more. */
const AT_ONCE = 500

export type Keep = 'original' | 'copy' | 'both' | 'merged'

/** A conflict with the contents that the user has seen. */
export interface ShownConflict extends Pick<ConflictJson, 'folder' | 'name' | 'hash'> {
  readonly file: Pick<NonNullable<ConflictJson['file']>, 'hash'> | null
}

/** What is kept of some conflicts. */
export interface Decision {
  readonly keep: Keep
  readonly conflicts: readonly ShownConflict[]
  /** The text that replaces the file, of one conflict. */
  readonly merged?: string
}

/** Conflicts whose other version is lost: their folders keep no old versions. */
export function lostCount(decisions: readonly Decision[]): number {
  const removing = decisions.filter(({ keep }) => keep !== 'both').flatMap(({ conflicts }) => conflicts)
  return removing.filter(({ folder }) => !keepsVersions(folder)).length
}

/** A folder that takes no files of other devices archives none. */
function keepsVersions(id: string): boolean {
  const folder = live.get().config?.folders.find((each: FolderConfig) => each.id === id)
  return folder !== undefined && folder.versioning.type !== '' && folder.type !== 'sendonly'
}

/** Asks where a version would be lost, and resolves. Resolves to whether it was tried. */
export async function resolveWithQuestion(decision: Decision): Promise<boolean> {
  const { keep, conflicts } = decision
  const n = lostCount([decision])
  if (n > 0) {
    const text = t(keep === 'original' ? 'conflicts.removeCopy' : 'conflicts.removeFile', { n: conflicts.length })
    const word = keep === 'original' ? 'conflicts.keepFile' : keep === 'copy' ? 'conflicts.keepCopy' : 'desk.saveMerged'
    const action = t(word, { n: conflicts.length })
    if (!(await confirm({ title: t('conflicts.removeTitle', { n }), text, action, danger: true }))) return false
  }
  return await resolveShown([decision])
}

/** Resolves conflicts as they were shown; nothing of a request is done where one was changed since. */
export async function resolveShown(decisions: readonly Decision[]): Promise<boolean> {
  const failures: Record<string, string> = {}
  let asked = 0
  let hasChanged = false
  resolving.update((count) => count + 1)
  const isDone = await runAction(async () => {
    const undo = await changeWithUndo(async () => {
      for (const request of requestsOf(decisions)) {
        try {
          Object.assign(failures, await client.call('POST /rest/twinfold/conflicts', request))
          asked += request.body.names.length
        } catch (error) {
          if (!(error instanceof ClientError && error.status === 409)) throw error
          hasChanged = true
          break
        }
      }
    })
    const failed = Object.entries(failures).map(([path, reason]) => ({ path, reason }))
    const n = asked - failed.length
    const kept = lostCount(decisions) === 0 && decisions.some(({ keep }) => keep !== 'both')
    const text = t('conflicts.resolved', { n })
    if (n > 0) showDone(kept ? `${text} ${t('conflicts.archived')}` : text, undo)
    if (failed.length > 0) openDialog(() => <FailedDialog title={t('conflicts.failed')} failed={failed} />)
    if (hasChanged) throw new Error(t('desk.changed'))
  })
  reloadParts(['attention'])
  setTimeout(() => resolving.update((count) => count - 1)) // after the next conflict is shown
  return isDone
}

function* requestsOf(decisions: readonly Decision[]) {
  for (const { keep, conflicts, merged } of decisions) {
    for (const [folder, group] of Map.groupBy(conflicts, (conflict) => conflict.folder)) {
      for (let at = 0; at < group.length; at += AT_ONCE) {
        const some = group.slice(at, at + AT_ONCE)
        const shown = some.map(({ name, hash, file }) => [name, { left: file?.hash ?? '', right: hash }] as const)
        const body = {
          keep,
          names: some.map(({ name }) => name),
          mayRemove: !keepsVersions(folder),
          shown: Object.fromEntries(shown),
          ...(merged !== undefined && { merged }),
        }
        yield { query: { folder }, body, timeoutMs: undefined }
      }
    }
  }
}
