const LENGTH_MAX = 40

/**
 * An ID for a folder from the name of its directory: lower-case letters, digits and dashes, none of the taken ones.
 * Undefined where the name has no such characters.
 */
export function folderIdFromName(name: string, taken: ReadonlySet<string>): string | undefined {
  const base = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '') // accents
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LENGTH_MAX)
    .replace(/^-+|-+$/g, '')
  if (base === '') return undefined
  if (!taken.has(base)) return base
  let number = 2
  while (taken.has(`${base}-${number}`)) number++
  return `${base}-${number}`
}
