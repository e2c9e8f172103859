/** Reserved for devices, with any extension; the digits may be superscript. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:[ .]|$)/i
const FORBIDDEN = /[\x00-\x1f<>:"|?*\\]/
const PLAIN = /^[\w-]+(?:\.[\w-]+)*$/

/**
 * Why Windows cannot have an item of this name; undefined where it can. A backslash separates directories there and a
 * colon names a stream of another file, so such a name leads to another item, even outside of the folder.
 */
export function windowsNameProblem(name: string): string | undefined {
  for (const part of name.split('/')) {
    const problem = partProblem(part)
    if (problem === undefined) continue
    const what = part === name ? problem : `${problem} in ${JSON.stringify(part)}`
    return `Windows cannot have this name (${what}); rename the item on another device, or ignore it here`
  }
  return undefined
}

function partProblem(part: string): string | undefined {
  const forbidden = PLAIN.test(part) ? undefined : FORBIDDEN.exec(part)?.[0]
  if (forbidden !== undefined)
    return forbidden < ' ' ? 'a control character' : `the character ${forbidden === '"' ? "'\"'" : `"${forbidden}"`}`
  if (part.endsWith('.')) return 'a dot at the end'
  if (part.endsWith(' ')) return 'a space at the end'
  return DEVICE.test(part) ? 'a name of a device' : undefined
}

/** Whether a name leads to another item where the separator of the system is this one. */
export function leadsElsewhere(name: string, separator: string): boolean {
  return separator === '\\' && /[\\:]/.test(name)
}

const NAMESPACE = /^[\\/]{2}[?.][\\/](?:(UNC)[\\/]|(?=[a-z]:))/i

/**
 * A path without the prefix that turns off limits of Windows, as in `\\?\C:\Docs` or `\\?\UNC\server\share`: Node adds
 * it itself, and cannot use it with the root of a drive. A drive without a separator is its root, not the directory
 * that is current there.
 */
export function plainWindowsPath(path: string): string {
  const plain = path.replace(NAMESPACE, (_, unc: string | undefined) => (unc === undefined ? '' : '\\\\'))
  return /^[a-z]:$/i.test(plain) ? `${plain}\\` : plain
}
