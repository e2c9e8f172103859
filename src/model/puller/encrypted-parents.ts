import { isEncryptedParent } from '../../core/encryption/names.ts'
import { parentOf } from '../../core/paths.ts'
import { pathOf, type PullContext } from './context.ts'

/** After the removal of an item: the directories above it are no items, and are removed when they are empty. */
export async function removeEncryptedParents(context: PullContext, name: string): Promise<void> {
  if (context.folder.type !== 'receiveencrypted') return
  for (let parent = parentOf(name); isEncryptedParent(parent); parent = parentOf(parent)) {
    try {
      await context.parents.inside(parent, () => context.platform.disk.removeDirectory(pathOf(context, parent)))
    } catch {
      return // not empty, or gone
    }
    context.records.touch(parentOf(parent))
  }
}
