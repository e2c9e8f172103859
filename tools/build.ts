/**
 * Builds dist/, or the directory named, for publishing. Prints on standard error: `npm pack` prints its result on
 * standard output.
 */
import { join, resolve } from 'node:path'
import { root } from './manifest.ts'
import { buildPackage } from './package-build.ts'

const packages = await buildPackage(resolve(process.argv[2] ?? join(root, 'dist')))
process.stderr.write(`twinfold: built, with parts of ${packages.length} packages\n`)
