import { useLive } from '../../live/live.ts'
import { CopyButton } from '../../ui/parts.tsx'
import { t } from '../../words/words.ts'

/** Our own ID, for the other device: to be scanned, or copied. */
export function OwnId() {
  const id = useLive((state) => state.system?.myID) ?? ''
  return (
    <aside class="add-own">
      <h3>{t('add.ownId')}</h3>
      {id !== '' && (
        <img class="add-qr" src={`/qr/?text=${encodeURIComponent(id)}`} width={176} height={176} alt={t('add.qr')} />
      )}
      <code class="add-id">{id}</code>
      <CopyButton text={id} label={t('add.copyId')} />
      <p class="field-help">{t('add.ownIdHelp')}</p>
    </aside>
  )
}
