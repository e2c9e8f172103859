import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../manifest.ts'

const APACHE_FILE = '/usr/share/common-licenses/Apache-2.0'
/** Debian wants this text referred to; what stands around it, such as who holds the copyright, stays. */
const APACHE_TEXT = /Apache License\s+Version 2\.0, January 2004[^]*?END OF TERMS AND CONDITIONS/g
const RULE = '='.repeat(79)

/** What is shipped, and the files with its licences. */
interface ShippedLicences {
  readonly homepage: string
  /** The notices of what is bundled into the program. */
  readonly notices: string
  /** Titles and texts of everything else. */
  readonly others: readonly (readonly [title: string, text: string])[]
}

/** One text with the licences of all parts, of which Debian itself has that of Twinfold. */
export function copyrightText({ homepage, notices, others }: ShippedLicences): string {
  const parts = others.map(([title, text]) => `${RULE}\n${title}\n${RULE}\n\n${text.trim()}\n`)
  const rest = [...parts, notices].join('\n').replace(APACHE_TEXT, `[the Apache License, Version 2.0: ${APACHE_FILE}]`)
  return `This is Twinfold, ${homepage}

Copyright: the Twinfold contributors

Licensed under the Apache License, Version 2.0. On Debian systems its text is in
${APACHE_FILE}.

The package also contains Node.js in /usr/lib/twinfold/bin, two native
packages in /usr/lib/twinfold/node_modules, and parts of other packages in
/usr/lib/twinfold/dist, all unaltered and under their own terms, which follow.

${rest}`
}

/** The licence of the calls into the C library, which its packages for one platform leave out. */
export function koffiLicence(): string {
  return readFileSync(join(root, 'tools', 'licences', 'koffi.txt'), 'utf8')
}
