import type { FolderConfig } from '../../src/core/config/config.ts'
import { t } from '../i18n/texts.ts'
import { confirm } from '../ui/confirm.tsx'
import { loadPlan } from '../ui/plan.tsx'
import { folderName } from '../view-model/folder-name.ts'

/** As many as may be a mistake of others, or a long time. */
const ASKED_ITEMS_MIN = 20

/** Asks where much would be replaced or deleted, or anything becomes a conflict copy. */
export async function confirmResume(folder: Pick<FolderConfig, 'id' | 'label'>): Promise<boolean> {
  const plan = { folder: folder.id, action: 'resume' }
  const { effects } = await loadPlan(plan).catch(() => ({ effects: [] }))
  const count = (...kinds: readonly string[]) =>
    effects.reduce((sum, { effect, items }) => sum + (kinds.includes(effect) ? items : 0), 0)
  if (count('delete', 'replace') < ASKED_ITEMS_MIN && count('conflict') === 0) return true
  return confirm({
    title: t('plan.resumeTitle', { folder: folderName(folder) }),
    text: t('plan.resumeText'),
    action: t('do.resume'),
    plans: [plan],
  })
}
