import { Store, useStore } from './store.ts'
import { addressOf, parseParams, parsePlace, withParams, type Params, type Place } from './address.ts'
import { isDialogEntry, rememberEntry } from './dialog-history.ts'

const hash = new Store(location.hash)
addEventListener('hashchange', () => hash.set(location.hash))
addEventListener('popstate', () => hash.set(location.hash))

export function usePlace(): Place {
  const path = useStore(hash, (value) => value.split('?')[0] ?? '')
  return parsePlace(path)
}

export function goTo(...place: Place): void {
  const address = addressOf(...place)
  if (isDialogEntry()) replace(address)
  else location.hash = address
}

/** Another address for the current entry in the history of the browser. */
export function replacePlace(...place: Place): void {
  replace(addressOf(...place), history.state)
}

/** A parameter of the address, and how to change it. A change makes no entry in the history of the browser. */
export function useParam(name: string): readonly [value: string, set: (value: string) => void] {
  const value = useStore(hash, (text) => parseParams(text)[name] ?? '')
  return [value, (next) => setParams({ [name]: next })]
}

export function setParams(changes: Params): void {
  const next = withParams(hash.get(), changes)
  if (next !== hash.get()) replace(next, history.state)
}

function replace(address: string, state: unknown = null): void {
  try {
    history.replaceState(state, '', address)
  } catch {
    // Browsers limit how often an address may change; the page shows the new one all the same.
  }
  rememberEntry()
  hash.set(address)
}
