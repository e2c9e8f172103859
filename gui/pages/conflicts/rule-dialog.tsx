import { useContext, useMemo, useState } from 'preact/hooks'
import {
  applyRule,
  CONFLICT_RULES,
  matchesPattern,
  type ConflictRule,
  type RuledConflicts,
} from '../../../src/core/conflicts/rule.ts'
import type { ConflictJson } from '../../../src/rest/conflicts.ts'
import { closeDialog, DialogId } from '../../base/dialogs.tsx'
import { useDebounced } from '../../base/use-debounced.ts'
import { formatCount } from '../../i18n/format.ts'
import { t } from '../../i18n/texts.ts'
import { client } from '../../live/client.ts'
import { live, useLive } from '../../live/live.ts'
import { useQuery } from '../../live/query.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { DescriptionList } from '../../ui/parts.tsx'
import { deviceNameById } from '../../view-model/device.ts'
import { folderName } from '../../view-model/folder-name.ts'
import { QueryResult } from '../folder/query-result.tsx'
import { lostCount, resolveShown, type Decision } from '../folder/resolve-conflicts.tsx'

/** The most that the daemon gives at once. */
const PER_PAGE = 500

type RuleKind = (typeof CONFLICT_RULES)[number]

/** Resolves many conflicts by one rule, after it has shown how many it would resolve, and how. */
export function RuleDialog({ onResolved }: { readonly onResolved: () => void }) {
  const dialogId = useContext(DialogId)
  const [kind, setKind] = useState<RuleKind>('newest')
  const [device, setDevice] = useState('')
  const [folder, setFolder] = useState('')
  const [pattern, setPattern] = useState('')
  const [read, setRead] = useState({ done: 0, total: 0 })
  const query = useQuery('conflicts', (signal) => allConflicts(signal, (done, total) => setRead({ done, total })))
  const wantedPattern = useDebounced(pattern)
  const folders = useLive((state) => state.config?.folders ?? [])
  const devices = useMemo(() => devicesOf(query.value ?? []), [query.value])
  const rule: ConflictRule = kind === 'device' ? { kind, device: device || (devices[0]?.value ?? '') } : { kind }
  const plan = useMemo(() => {
    const wanted = (query.value ?? []).filter(
      (conflict) => (folder === '' || conflict.folder === folder) && matchesPattern(conflict.original, wantedPattern),
    )
    return applyRule(wanted, rule)
  }, [query.value, folder, wantedPattern, kind, device, devices])
  const decisions = decisionsOf(plan)
  const n = decisions.reduce((sum, { conflicts }) => sum + conflicts.length, 0)
  const lost = lostCount(decisions)
  const resolve = async () => {
    await resolveShown(decisions)
    closeDialog(dialogId)
    onResolved()
  }
  return (
    <Dialog
      title={t('desk.ruleTitle')}
      actions={
        <>
          <Button onClick={() => closeDialog(dialogId)}>{t('do.cancel')}</Button>
          <Button kind={lost > 0 ? 'danger' : 'primary'} disabled={n === 0} onClick={resolve}>
            {t('desk.ruleAct', { n })}
          </Button>
        </>
      }
    >
      <SelectField
        label={t('desk.rule')}
        value={kind}
        options={CONFLICT_RULES.map((value) => ({ value, text: t(`desk.rule.${value}`) }))}
        onChange={setKind}
      />
      {kind === 'device' && (
        <SelectField
          label={t('desk.ruleDevice')}
          value={device || (devices[0]?.value ?? '')}
          options={devices}
          onChange={setDevice}
        />
      )}
      <SelectField
        label={t('desk.ruleFolder')}
        value={folder}
        options={[
          { value: '', text: t('desk.ruleAllFolders') },
          ...folders.map((each) => ({ value: each.id as string, text: folderName(each) })),
        ]}
        onChange={setFolder}
      />
      <TextField
        label={t('desk.rulePattern')}
        help={t('desk.rulePatternHelp')}
        value={pattern}
        placeholder="*.md"
        onChange={setPattern}
      />
      {query.value === undefined && read.total > 0 && (
        <p class="soft" role="status">
          {t('desk.ruleReading', { done: formatCount(read.done), total: formatCount(read.total) })}
        </p>
      )}
      <QueryResult query={query}>{() => <Plan plan={plan} lost={lost} />}</QueryResult>
    </Dialog>
  )
}

function Plan({ plan, lost }: { readonly plan: RuledConflicts<ConflictJson>; readonly lost: number }) {
  const rows = [
    [t('desk.ruleStay'), plan.original],
    [t('desk.ruleReplaced'), plan.copy],
    [t('desk.ruleBeside'), plan.both],
    [t('desk.ruleLeft'), plan.left],
  ] as const
  return (
    <div role="status">
      <DescriptionList rows={rows.map(([name, { length }]) => [name, formatCount(length)])} />
      {lost > 0 && <p class="field-warning">{t('desk.ruleLost', { n: lost })}</p>}
    </div>
  )
}

function decisionsOf(plan: RuledConflicts<ConflictJson>): readonly Decision[] {
  const keeps = ['original', 'copy', 'both'] as const
  return keeps.map((keep) => ({ keep, conflicts: plan[keep] })).filter(({ conflicts }) => conflicts.length > 0)
}

/** Those that have made a version of any conflict. */
function devicesOf(conflicts: readonly ConflictJson[]): readonly { readonly value: string; readonly text: string }[] {
  const ids = new Set(conflicts.flatMap(({ file, modifiedBy }) => (file === null ? [] : [file.modifiedBy, modifiedBy])))
  return [...ids].map((value) => ({ value, text: deviceNameById(live.get(), value) }))
}

async function allConflicts(
  signal: AbortSignal,
  onRead: (done: number, total: number) => void,
): Promise<readonly ConflictJson[]> {
  const all = new Map<string, ConflictJson>()
  for (let page = 1; ; page++) {
    const query = { page, perpage: PER_PAGE }
    const { items, total } = await client.call('GET /rest/twinfold/conflicts', { query, signal })
    for (const item of items) all.set(`${item.folder}\0${item.name}`, item)
    onRead(all.size, total)
    if (items.length === 0 || page * PER_PAGE >= total) return [...all.values()]
  }
}
