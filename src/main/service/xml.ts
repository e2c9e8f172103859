import { TwinfoldError } from '../../core/errors.ts'

/** Characters that XML 1.0 cannot hold. */
const UNWRITABLE = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/u

/** The text itself; refuses what XML cannot hold, because it would be read as another path. */
export function checkedXmlText(text: string): string {
  if (!UNWRITABLE.test(text)) return text
  throw new TwinfoldError('refused', `${JSON.stringify(text)} has characters that the service definition cannot hold`)
}
