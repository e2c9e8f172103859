import type { FolderConfig } from '../../src/core/config/config.ts'

/** The relation of a new folder's directory to those of existing folders. */
export type PathTrouble = {
  readonly kind: 'same' | 'inside' | 'around'
  readonly folder: Pick<FolderConfig, 'id' | 'label'>
}

/** The default path of a folder with this name; characters of the name cannot lead outside of it. */
export function suggestedPath(defaultPath: string, name: string, separator: string): string {
  const last = name
    .trim()
    .replaceAll(/[/\\:*?"<>|\p{Cc}]+/gu, '-')
    .replace(/^\.+/, '')
  const base = defaultPath === '' ? '~' : defaultPath
  return `${base.endsWith(separator) ? base : base + separator}${last}`
}

/** The path as it is saved, without a separator at its end. */
export function withoutEnd(path: string): string {
  return path.trim().replace(/(?<=[^/\\:])[/\\]+$/, '')
}

/** The path with the home directory spelled out and no separator at its end. */
export function wholePath(path: string, tilde: string, separator: string): string {
  const trimmed = path.trim()
  const whole = trimmed === '~' || trimmed.startsWith(`~${separator}`) ? tilde + trimmed.slice(1) : trimmed
  return whole.length > 1 && whole.endsWith(separator) ? whole.slice(0, -1) : whole
}

/** Another folder at the same place, around it or inside it; both would synchronize the same files. */
export function pathTrouble(
  path: string,
  folders: readonly FolderConfig[],
  tilde: string,
  separator: string,
): PathTrouble | undefined {
  const whole = wholePath(path, tilde, separator)
  for (const folder of folders) {
    const other = wholePath(folder.path, tilde, separator)
    if (other === whole) return { kind: 'same', folder }
    if (whole.startsWith(other + separator)) return { kind: 'inside', folder }
    if (other.startsWith(whole + separator)) return { kind: 'around', folder }
  }
  return undefined
}

/** A folder id that is easy to read aloud: two groups of five letters and digits. */
export function folderIdFrom(random: Uint8Array): string {
  const letters = Array.from(random.slice(0, 10), (byte) => 'abcdefghijklmnopqrstuvwxyz234567'.charAt(byte % 32)).join(
    '',
  )
  return `${letters.slice(0, 5)}-${letters.slice(5)}`
}

/** The directory that a typed path is in, or itself if it ends with a separator; it ends with one. */
export function directoryOf(path: string, tilde: string, separator: string): string {
  const trimmed = path.trim()
  const whole = trimmed === '~' || trimmed.startsWith(`~${separator}`) ? tilde + trimmed.slice(1) : trimmed
  return whole.slice(0, whole.lastIndexOf(separator) + separator.length) || separator
}

/** The directory around a path; undefined for the uppermost one. */
export function parentOf(path: string, separator: string): string | undefined {
  const whole = path.endsWith(separator) ? path.slice(0, -separator.length) : path
  const at = whole.lastIndexOf(separator)
  return at === -1 || whole === '' ? undefined : whole.slice(0, at + separator.length)
}

/** The directories that the daemon lists, with their last names. */
export function childrenOf(
  listed: readonly string[],
  separator: string,
): readonly { readonly name: string; readonly path: string }[] {
  return listed.map((path) => {
    const whole = path.endsWith(separator) ? path.slice(0, -separator.length) : path
    return { name: whole.slice(whole.lastIndexOf(separator) + separator.length), path: whole + separator }
  })
}
