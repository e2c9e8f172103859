import type { RemediesJson } from '../../../src/rest/remedies.ts'
import { runAction } from '../../app/run-action.ts'
import { addressOf } from '../../base/address.ts'
import { openDialog } from '../../base/dialogs.tsx'
import { client } from '../../live/client.ts'
import { live, reloadParts } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { CopyButton } from '../../ui/parts.tsx'
import { t } from '../../i18n/texts.ts'
import { evidenceText } from '../../view-model/evidence-text.ts'

type RemedyJson = RemediesJson[number]

/** The evidence for a cause in one folder, the buttons that solve it there, and the command where none can. */
export function RemedyActions({ remedy }: { readonly remedy: RemedyJson }) {
  const evidence = evidenceText(remedy)
  const { actions, command, folder } = remedy
  return (
    <div class="remedy">
      {evidence !== undefined && <p>{evidence}</p>}
      {command !== null && (
        <div class="remedy-command">
          <code>{command}</code>
          <CopyButton text={command} />
        </div>
      )}
      <div class="button-row">
        {actions.includes('create-marker') && (
          <Button needs="admin" kind="primary" onClick={() => createMarker(folder, false)}>
            {t('remedy.createMarker')}
          </Button>
        )}
        {actions.includes('change-minimum') && (
          <Button needs="admin" kind="primary" onClick={() => change(remedy, 'minimum')}>
            {t('remedy.changeMinimum')}
          </Button>
        )}
        {actions.includes('change-home-minimum') && (
          <a class="button" href={addressOf('settings', 'advanced')}>
            {t('remedy.changeMinimum')}
          </a>
        )}
        {actions.includes('choose-place') && (
          <Button needs="admin" onClick={() => change(remedy, 'place')}>
            {t('remedy.choosePlace')}
          </Button>
        )}
        {actions.includes('create-marker-anyway') && (
          <Button needs="admin" kind="danger" onClick={() => createAnyway(remedy)}>
            {t('remedy.createMarker')}
          </Button>
        )}
      </div>
    </div>
  )
}

async function createMarker(folder: string, force: boolean): Promise<void> {
  const query = { folder, force: force ? 'true' : 'false' } as const
  await runAction(async () => {
    await client.call('POST /rest/twinfold/marker', { query })
    await client.scan(folder)
  }, t('remedy.markerCreated'))
  reloadParts(['summary', 'attention'])
}

/** Files that are missing would count as deleted, so it says how many. */
async function createAnyway({ folder, files, path }: RemedyJson): Promise<void> {
  const missing = (files?.examined ?? 0) - (files?.found ?? 0)
  const wanted = await confirm({
    title: t('remedy.createMarker'),
    text: t('remedy.markerSure', { n: missing, path: path ?? '' }),
    action: t('remedy.createMarker'),
    danger: true,
  })
  if (wanted) await createMarker(folder, true)
}

/** The dialogs are loaded when one is opened. */
async function change({ folder: id, space }: RemedyJson, what: 'minimum' | 'place'): Promise<void> {
  const folder = live.get().config?.folders.find((each) => each.id === id)
  if (folder === undefined) return
  await runAction(async () => {
    const { ChangeMinimumDialog, ChoosePlaceDialog } = await import('./remedy-dialogs.tsx')
    openDialog(() =>
      what === 'minimum' ? (
        <ChangeMinimumDialog folder={folder} space={space} />
      ) : (
        <ChoosePlaceDialog folder={folder} />
      ),
    )
  })
}
