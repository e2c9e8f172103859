import { baseOf, cutToBytes, NAME_SIZE_BYTES_MAX, parentOf, splitExtension } from '../paths.ts'

/**
 * The name beside an item under which it is restored: `Camera (as of 2026-11-17 10.02.11)`. Of a whole folder it is a
 * directory at its top. The time is in UTC, so that every device and every attempt gives the same name.
 */
export function besideName(path: string, momentMs: number, isFile: boolean): string {
  const time = new Date(momentMs).toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '.')
  if (path === '') return `as of ${time}`
  const { stem, extension } = isFile ? splitExtension(baseOf(path)) : { stem: baseOf(path), extension: '' }
  const rest = ` (as of ${time})${extension}`
  const name = `${cutToBytes(stem, NAME_SIZE_BYTES_MAX - Buffer.byteLength(rest))}${rest}`
  const directory = parentOf(path)
  return directory === '' ? name : `${directory}/${name}`
}

/** The name of an item at or below `path` when that is restored as `beside`. */
export function nameBeside(name: string, path: string, beside: string): string {
  if (path === '') return `${beside}/${name}`
  return `${beside}${name.slice(path.length)}`
}
