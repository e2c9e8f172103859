import { Store, useStore } from '../live/store.ts'
import { addressOf, parsePlace, type Place } from './address.ts'

const hash = new Store(location.hash)
addEventListener('hashchange', () => hash.set(location.hash))

export function usePlace(): Place {
  return parsePlace(useStore(hash, (value) => value))
}

export function goTo(...place: Place): void {
  location.hash = addressOf(...place)
}
