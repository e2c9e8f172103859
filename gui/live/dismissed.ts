import { Kept } from './kept.ts'

/** The version whose notice was dismissed in this browser; empty for none. */
export const dismissedUpgrade = new Kept('twinfold-upgrade-dismissed')

/** `open` from the first steps on until they are closed; empty in a browser that has never shown them. */
export const setupShown = new Kept('twinfold-setup')

/** Not empty when the notice that no password is set was dismissed. */
export const dismissedPassword = new Kept('twinfold-password-dismissed')
