/** Paths as the index writes them: parted by `/`, without one in front. */

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The directory that holds it, with its `/`; empty at the top. */
export function directoryOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

export function joinPath(directory: string, name: string): string {
  return directory === '' ? name : `${directory}/${name}`
}

/** The input as a path below the folder; undefined for one that leads out of it. */
export function parseSubPath(text: string): string | undefined {
  const parts = text
    .trim()
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.')
  return parts.length === 0 || parts.includes('..') ? undefined : parts.join('/')
}
