/** Which index, and how far into it. Id 0 is "none". */
export interface IndexPosition {
  readonly indexId: bigint
  readonly sequence: number
}

/** The sequence after which our index is to be sent to a device; 0: all of it. */
export function startOfSending(own: IndexPosition, knownToThem: IndexPosition): number {
  if (knownToThem.indexId !== own.indexId) return 0
  return knownToThem.sequence >= 0 && knownToThem.sequence <= own.sequence ? knownToThem.sequence : 0
}

/**
 * Whether a device has more of our index than was sent to it: then our index went back to an earlier state. Where an
 * earlier release did not record what was sent, only a sequence beyond our own shows that.
 */
export function wentBack(own: IndexPosition, sentSequence: number | undefined, knownToThem: IndexPosition): boolean {
  return knownToThem.indexId === own.indexId && knownToThem.sequence > (sentSequence ?? own.sequence)
}

/**
 * Whether what a device has of our index shows that the index did not go back: no more than was sent to it, or nothing.
 * An index that is not ours any more, or a sequence that was not recorded, shows nothing.
 */
export function isContinued(own: IndexPosition, sentSequence: number | undefined, knownToThem: IndexPosition): boolean {
  if (knownToThem.indexId === 0n) return true
  if (sentSequence === undefined || knownToThem.indexId !== own.indexId) return false
  return knownToThem.sequence <= sentSequence
}

/** Whether the stored records of a device are still valid. An index without an id, or with another id, starts empty. */
export function keepsRecords(stored: bigint, announced: bigint): boolean {
  return announced !== 0n && announced === stored
}
