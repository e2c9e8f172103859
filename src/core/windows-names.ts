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
