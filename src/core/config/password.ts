/** bcrypt ignores further bytes: a longer password would be weaker than expected. */
export const PASSWORD_BYTES_MAX = 72

/** Text that Syncthing recognises as a hash and stores unchanged; anything else is a password in plain text. */
const LOOKS_HASHED = /^\$2[aby]\$\d+\$.{50,}/
const BCRYPT_HASH = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/
const COST_MIN = 4
const COST_VALID_MAX = 31
/** Each step doubles the time of a login: a tenth of a second with 10, about 2 s with 14, three days with 31. */
const COST_MAX = 14

/** Whether a configured password is already a hash. */
export function isHashedPassword(password: string): boolean {
  return LOOKS_HASHED.test(password)
}

/** Why a stored hash cannot be verified, as the end of a sentence; undefined when it can. */
export function hashFault(hash: string): string | undefined {
  const cost = Number(BCRYPT_HASH.exec(hash)?.[1])
  if (!(cost >= COST_MIN && cost <= COST_VALID_MAX)) return 'is no valid bcrypt hash'
  return cost > COST_MAX ? `is a bcrypt hash of cost ${cost}, and at most ${COST_MAX} is accepted` : undefined
}
