import { Selection, type SelectionState } from '../../src/core/ignore/selection.ts'
import type { SelectionJson } from '../../src/rest/selection.ts'

/** Choices that are not applied yet, by path. */
export type Choices = ReadonlyMap<string, SelectionState>

export const NO_CHOICES: Choices = new Map()

/** What a check box shows. */
export type BoxState = 'on' | 'off' | 'partly'

export function boxOf(selection: Selection, path: string): BoxState {
  if (selection.isMixed(path)) return 'partly'
  return selection.stateOf(path) === 'kept' ? 'on' : 'off'
}

/** The selection of the device, with the choices; parents first, as those below them are exceptions. */
export function chosenSelection({ entries }: Pick<SelectionJson, 'entries'>, choices: Choices): Selection {
  const paths = [...choices.keys()].sort((a, b) => a.length - b.length)
  return new Selection(entries).with(paths.map((path) => ({ path, state: choices.get(path)!, reason: 'chosen' })))
}

/** A click on the box of a path: what is kept in part is kept as a whole. A choice replaces those below it. */
export function withClicked(choices: Choices, selection: Selection, path: string): Choices {
  const state = boxOf(selection, path) === 'on' ? 'dropped' : 'kept'
  const isBelow = (other: string) => path === '' || other === path || other.startsWith(`${path}/`)
  const others = [...choices].filter(([other]) => !isBelow(other))
  return new Map([...others, [path, state]])
}

/** After they were applied; what was clicked meanwhile is still to be applied. */
export function withoutApplied(choices: Choices, applied: Choices): Choices {
  return new Map([...choices].filter(([path, state]) => applied.get(path) !== state))
}

/** The request that applies choices. */
export function choiceBody(choices: Choices): { readonly keep: readonly string[]; readonly drop: readonly string[] } {
  const pathsOf = (wanted: SelectionState) => [...choices].flatMap(([path, state]) => (state === wanted ? [path] : []))
  return { keep: pathsOf('kept'), drop: pathsOf('dropped') }
}
