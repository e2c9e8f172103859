/** Builds the web page from gui/ into dist/gui, where the daemon finds it. */
import { join } from 'node:path'
import { buildGui } from './gui-build.ts'

const { bytes } = await buildGui(join(import.meta.dirname, '..', 'dist', 'gui'))
process.stderr.write(
  `twinfold: the web page is built, ${(bytes / 1_000).toFixed(1)} kB of scripts and styles when compressed\n`,
)
