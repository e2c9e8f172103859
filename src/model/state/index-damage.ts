import { TwinfoldError } from '../../core/errors.ts'

/** The index was damaged; the store has replaced it with an empty one. */
export function isIndexDamage(error: unknown): boolean {
  return error instanceof TwinfoldError && error.code === 'database-damaged'
}
