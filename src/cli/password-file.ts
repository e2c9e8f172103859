import { TwinfoldError } from '../core/errors.ts'

/** Enough to recognize a file of an older version: title, empty line, password. */
export const PASSWORD_LINES = 3

const OLD_TITLE = /^Password of (?:folder "|the encrypted data on )/
/** A password that Twinfold made. */
const MADE = /^[a-z2-9]{5}(?:-[a-z2-9]{5}){4}$/

/** The password, which is the first line of its file. Throws where that line is empty, or the title of a saved file. */
export function passwordInLines(lines: readonly string[]): string {
  const [password = '', second, third = ''] = lines
  if (password === '') throw new TwinfoldError('refused', 'the first line of the password file is empty')
  if (OLD_TITLE.test(password) || (second === '' && MADE.test(third) && !MADE.test(password))) {
    throw new TwinfoldError(
      'refused',
      'the first line of the password file is a title, not a password: an older version saved it; ' +
        'remove the lines above the password and try again',
    )
  }
  return password
}

/** Lines of a file that a user saved or wrote; editors on Windows end them with a carriage return. */
export function passwordInText(text: string): string {
  return passwordInLines(text.split(/\r?\n/))
}

/** A file that `--password-file` takes: the password is its first line. */
export function passwordSheet(password: string, explanation: readonly string[]): string {
  return [password, '', ...explanation, ''].join('\n')
}
