/** Entries of `unackedNotificationIDs` that Twinfold makes and removes; other programs ignore the second. */

/** To set a password; it is removed once there is one. */
export const NOTE_PASSWORD = 'authenticationUserAndPassword'
/** To decide about discovery, relays and port mapping; it is removed by the answer. */
export const NOTE_NETWORK = 'twinfoldNetwork'
