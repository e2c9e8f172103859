import { TwinfoldError } from '../../core/errors.ts'

/** What XML 1.0 has no spelling for. */
const UNWRITABLE = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/u

/** The text itself; refuses what XML cannot carry, because it would arrive as another path. */
export function checkedXmlText(text: string): string {
  if (!UNWRITABLE.test(text)) return text
  throw new TwinfoldError(
    'bad-request',
    `${JSON.stringify(text)} has characters that the service definition cannot hold`,
  )
}
