import { StoredChoice } from '../base/stored-choice.ts'

const asStored = (stored: string) => stored

/** The version whose notice was dismissed in this browser; empty for none. */
export const dismissedUpgrade = new StoredChoice('twinfold-upgrade-dismissed', asStored)

/** `open` from the first steps on until they are closed; empty in a browser that has never shown them. */
export const setupShown = new StoredChoice('twinfold-setup', asStored)

/** Not empty when the offer to protect folders against deletions by mistake was dismissed. */
export const dismissedSafety = new StoredChoice('twinfold-safety-dismissed', asStored)

/** Not empty when the notice that no password is set was dismissed. */
export const dismissedPassword = new StoredChoice('twinfold-password-dismissed', asStored)
