import { useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { Selection } from '../../../src/core/ignore/selection.ts'
import type { SelectedJson, SelectionJson } from '../../../src/rest/selection.ts'
import { reasonOf, runAction, showDone } from '../../app/run-action.ts'
import { openDialog } from '../../base/dialogs.tsx'
import { visibleName } from '../../base/visible-name.ts'
import { formatSize } from '../../i18n/format.ts'
import { t } from '../../i18n/texts.ts'
import { client } from '../../live/client.ts'
import { live } from '../../live/live.ts'
import { useFolderRevision, useQuery } from '../../live/query.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { deviceNameById } from '../../view-model/device.ts'
import {
  boxOf,
  choiceBody,
  chosenSelection,
  NO_CHOICES,
  withClicked,
  withoutApplied,
  type Choices,
} from '../../view-model/file-choice.ts'
import { FailedDialog } from './restore-versions.tsx'

const EVERYTHING: SelectionJson = { entries: [], removing: false, error: null }

/** What of a folder is kept on this device, with the choices that are not applied yet. */
export interface FileChoice {
  readonly selection: Selection
  /** As it is on the device. */
  readonly applied: Selection
  readonly choices: Choices
  /** Undefined while nothing is chosen, and until the selection is known: there are no check boxes. */
  readonly click: ((path: string) => void) | undefined
  readonly clear: () => void
  /** After these were applied. */
  readonly done: (applied: Choices) => void
  /** After a change of the device, which no event reports. */
  readonly again: () => void
}

/** Whether items of the folder can be kept and dropped. */
export function mayChoose({ type }: FolderConfig): boolean {
  return type !== 'receiveencrypted' && type !== 'sendonly'
}

export function useFileChoice(folder: FolderConfig, isChoosing: boolean): FileChoice {
  const [choices, setChoices] = useState(NO_CHOICES)
  const query = { folder: folder.id }
  const { value: known, again } = useQuery(
    folder.id,
    (signal) => client.call('GET /rest/twinfold/selection', { query, signal }),
    useFolderRevision(folder.id),
  )
  const value = known ?? EVERYTHING
  const selection = chosenSelection(value, choices)
  const click = (path: string) => setChoices((now) => withClicked(now, chosenSelection(value, now), path))
  return {
    selection,
    applied: choices.size === 0 ? selection : chosenSelection(value, NO_CHOICES),
    choices,
    click: isChoosing && known !== undefined ? click : undefined,
    clear: () => setChoices(NO_CHOICES),
    done: (applied) => setChoices((now) => withoutApplied(now, applied)),
    again,
  }
}

interface KeepBoxProps {
  readonly choice: FileChoice
  readonly path: string
  /** The item is ignored here. */
  readonly isIgnored: boolean
}

/** Whether an item is kept on this device. Where a pattern of the user decides, it cannot be chosen. */
export function KeepBox({ choice: { selection, applied, click }, path, isIgnored }: KeepBoxProps) {
  const state = boxOf(selection, path)
  const isOwn = isIgnored && applied.stateOf(path) === 'kept'
  return (
    <input
      type="checkbox"
      checked={state === 'on' && !isOwn}
      indeterminate={state === 'partly'}
      disabled={isOwn}
      title={isOwn ? t('choose.own') : undefined}
      aria-label={t('choose.keep', { name: path === '' ? t('choose.everything') : path })}
      onChange={() => click?.(path)}
    />
  )
}

/** The box of the whole folder, which also decides on what is new in its root. */
export function KeepEverything({ choice }: { readonly choice: FileChoice }) {
  return (
    <p class="files-all">
      <KeepBox choice={choice} path="" isIgnored={false} />
      <span aria-hidden="true">{t('choose.keep', { name: t('choose.everything') })}</span>
    </p>
  )
}

/** What the choices free and fetch, and who has it; nothing changes before it is applied. */
export function ChoiceBar({ folder, choice }: { readonly folder: FolderConfig; readonly choice: FileChoice }) {
  const [busy, setBusy] = useState(false)
  const { choices, clear, done, again } = choice
  const body = choiceBody(choices)
  const query = { folder: folder.id }
  const key = JSON.stringify(body)
  const { value, error } = useQuery(key, async (signal) => {
    if (choices.size === 0) return undefined
    const asked = { query, body: { ...body, preview: true }, signal, timeoutMs: undefined }
    return { key, preview: await client.call('POST /rest/twinfold/selection', asked) }
  })
  const preview = value?.key === key ? value.preview : undefined // not that of the choices before
  if (choices.size === 0) return <p class="soft files-note">{t('choose.help')}</p>
  const apply = async () => {
    const force = (preview?.onlyHere.files ?? 0) > 0
    if (force && !(await confirmLoss(preview!))) return
    setBusy(true)
    await runAction(async () => {
      const sent = { query, body: { ...body, force }, timeoutMs: undefined }
      const { left } = await client.call('POST /rest/twinfold/selection', sent)
      showDone(t('choose.done'), undefined)
      const failed = Object.entries(left).map(([path, reason]) => ({ path, reason }))
      if (failed.length > 0) openDialog(() => <FailedDialog title={t('choose.left')} failed={failed} />)
      done(choices)
      again()
    })
    setBusy(false)
  }
  return (
    <div class="bulk" role="toolbar" aria-label={t('choose.open')}>
      <span role="status">{error === undefined ? ((preview && textOf(preview)) ?? '…') : reasonOf(error)}</span>
      <Button needs="admin" kind="primary" disabled={busy || preview === undefined} onClick={apply}>
        {t('choose.apply')}
      </Button>
      <Button onClick={clear}>{t('do.cancel')}</Button>
    </div>
  )
}

function textOf({ freed, fetched, holders, onlyHere }: SelectedJson): string {
  const devices = Object.keys(holders).map((id) => deviceNameById(live.get(), id))
  return [
    freed.files > 0 && t('choose.frees', { n: freed.files, size: formatSize(freed.bytes) }),
    fetched.files > 0 && t('choose.fetches', { n: fetched.files, size: formatSize(fetched.bytes) }),
    freed.files + fetched.files === 0 && t('choose.nothing'),
    devices.length > 0 && t('choose.holders', { devices: devices.join(', ') }),
    onlyHere.files > 0 && lossText(onlyHere),
  ]
    .filter((part) => part !== false)
    .join(' ')
}

function lossText({ files, examples }: SelectedJson['onlyHere']): string {
  return t('choose.onlyHere', { n: files, name: visibleName(examples[0] ?? '') })
}

function confirmLoss({ onlyHere }: SelectedJson): Promise<boolean> {
  return confirm({
    title: lossText(onlyHere),
    text: t('choose.forceText'),
    action: t('choose.force'),
    danger: true,
  })
}
