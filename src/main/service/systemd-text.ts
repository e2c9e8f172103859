import { TwinfoldError } from '../../core/errors.ts'

const CONTROL = /[\x00-\x1f\x7f]/g

/** A value in double quotes, with C escapes, and `%` doubled because it begins a specifier. */
export function quoted(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replace(CONTROL, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return `"${escaped.replaceAll('%', '%%')}"`
}

/** An argument in `ExecStart=`, where `$` would begin a variable. */
export function quotedArgument(text: string): string {
  return quoted(text).replaceAll('$', '$$$$')
}

/** The program in `ExecStart=`: `$` is literal there, and systemd refuses some characters. */
export function quotedProgram(path: string): string {
  if (isPlain(path)) return quoted(path)
  throw new TwinfoldError(
    'refused',
    `systemd starts no program whose path has quotes, backslashes or control characters, and Node is ` +
      `${JSON.stringify(path)}; install Node elsewhere and run this command with it`,
  )
}

/** A path in a list of paths, where a backslash is literal, so some characters cannot be escaped. */
export function quotedPath(path: string): string {
  if (isPlain(path)) return quoted(path)
  throw new TwinfoldError(
    'refused',
    `systemd has no way to write the path ${JSON.stringify(path)}, because of quotes, backslashes or control ` +
      'characters; rename it, or leave out --writable',
  )
}

function isPlain(path: string): boolean {
  return !/["'\\]/.test(path) && path.search(CONTROL) < 0
}
