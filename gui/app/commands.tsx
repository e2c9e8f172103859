import { detach } from '../../src/core/errors.ts'
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks'
import { bestMatches } from '../base/match.ts'
import { debugFacilities, loadDebug } from '../live/debug.ts'
import { live } from '../live/live.ts'
import { useStore } from '../base/store.ts'
import { Icon } from '../ui/icon.tsx'
import { t } from '../i18n/texts.ts'
import type { Command } from './command.ts'
import { commandsOf } from './command-list.tsx'
import { closeDialog, DialogId, openDialog } from '../base/dialogs.tsx'
import { useFileCommands } from './file-commands.ts'

const SHOWN_MAX = 60

/** The command palette. */
export function openCommands(): void {
  openDialog(() => <Commands />)
}

function Commands() {
  const dialog = useRef<HTMLDialogElement>(null)
  const dialogId = useContext(DialogId)
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  useStore(debugFacilities, (value) => value)
  useEffect(() => {
    dialog.current?.showModal()
    loadDebug().catch(() => undefined) // without it the debug commands are missing
  }, [])
  const { files, isSearching } = useFileCommands(typed)
  const found = [...bestMatches(commandsOf(live.get(), typed), typed, SHOWN_MAX), ...files]
  const run = (command: Command | undefined) => {
    if (command === undefined) return
    dialog.current?.close()
    detach(Promise.resolve(command.run()))
  }
  const press = (event: KeyboardEvent) => {
    if (dialog.current?.open !== true) return // it has been used, and has the focus until the next picture is drawn
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && found.length > 0) setChosen((chosen + step + found.length) % found.length)
    else if (event.key === 'Enter' && !event.isComposing) run(found[chosen])
    else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') dialog.current?.close()
    else return
    event.preventDefault()
  }
  const type = (text: string) => {
    setTyped(text)
    setChosen(0)
  }
  return (
    <dialog
      ref={dialog}
      class="commands"
      aria-label={t('top.commands')}
      onClose={() => closeDialog(dialogId)}
      onKeyDown={press}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <Choice {...{ found, chosen, typed, isSearching }} onType={type} onChoose={setChosen} onRun={run} />
    </dialog>
  )
}

interface ChoiceProps {
  readonly found: readonly Command[]
  readonly chosen: number
  readonly typed: string
  readonly isSearching: boolean
  readonly onType: (text: string) => void
  readonly onChoose: (index: number) => void
  readonly onRun: (command: Command) => void
}

function Choice({ found, chosen, typed, isSearching, onType, onChoose, onRun }: ChoiceProps) {
  const id = useId()
  const list = useRef<HTMLUListElement>(null)
  useEffect(
    () => list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' }),
    [chosen, typed],
  )
  return (
    <>
      <div class="commands-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls={id}
          aria-label={t('command.search')}
          aria-activedescendant={found.length > 0 ? `${id}-${chosen}` : undefined}
          value={typed}
          placeholder={t('command.search')}
          autoComplete="off"
          spellcheck={false}
          onInput={(event) => onType(event.currentTarget.value)}
        />
      </div>
      <ul ref={list} id={id} role="listbox" aria-label={t('top.commands')} class="commands-list">
        {found.map((command, index) => (
          <li
            key={command.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onMouseMove={() => index !== chosen && onChoose(index)}
            onClick={() => onRun(command)}
          >
            <Icon name={command.icon} />
            <span class="commands-text">{command.text}</span>
            <span class="commands-kind">{command.kind}</span>
          </li>
        ))}
      </ul>
      <p class="commands-none" role="status">
        {isSearching ? t('command.searching') : found.length === 0 && t('command.none')}
      </p>
    </>
  )
}
