import { PLACE_KEYS } from '../view-model/key-chord.ts'
import { Dialog } from '../ui/dialog.tsx'
import { t } from '../i18n/texts.ts'
import { openDialog } from '../base/dialogs.tsx'
import { PLACES } from './places.ts'

/** All keys of the page, and what they do. */
export function openKeys(): void {
  openDialog(() => <KeysHelp />)
}

/** The key that stands for Control on this machine. */
export function commandKey(): string {
  return /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl'
}

function KeysHelp() {
  const rows: readonly (readonly [keys: readonly string[], text: string])[] = [
    [[commandKey(), 'K'], t('keys.commands')],
    [[commandKey(), 'Z'], t('undo.do')],
    [['/'], t('keys.search')],
    [['?'], t('keys.title')],
    ...Object.entries(PLACE_KEYS).map(
      ([key, place]) => [['g', key], t(PLACES.find((each) => each.place === place)?.word ?? 'nav.overview')] as const,
    ),
    [['j', 'k'], t('keys.deskMove')],
    [['1', '2', '3'], t('keys.deskKeep')],
    [['m'], t('keys.deskMerge')],
    [['u'], t('keys.deskUndo')],
    [['Esc'], t('keys.close')],
  ]
  return (
    <Dialog title={t('keys.title')}>
      <table class="keys">
        <thead class="unseen">
          <tr>
            <th scope="col">{t('keys.key')}</th>
            <th scope="col">{t('keys.does')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([keys, text]) => (
            <tr key={keys.join(' ')}>
              <td>
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </td>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  )
}
