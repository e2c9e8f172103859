import { StoredChoice } from '../base/stored-choice.ts'

/** The version whose notice was dismissed in this browser; empty for none. */
export const dismissedUpgrade = new StoredChoice('twinfold-upgrade-dismissed')

/** `open` from the first steps on until they are closed; empty in a browser that has never shown them. */
export const setupShown = new StoredChoice('twinfold-setup')

/** Not empty when the notice that no password is set was dismissed. */
export const dismissedPassword = new StoredChoice('twinfold-password-dismissed')
