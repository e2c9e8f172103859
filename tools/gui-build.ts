import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Plugin } from 'vite'

import { checkBundle } from './check-bundle.ts'
import { writeManual } from './manual.ts'

const root = join(import.meta.dirname, '..')

/** Below this the names of headers weigh more than what is saved. */
const COMPRESS_BYTES_MIN = 1_024

/** The texts of one language; a browser loads one of these files. */
const LANGUAGE_FILE = /^[a-z]{2}-[\w-]{8}\.js$/

export interface BuiltGui {
  /** The compressed size of the scripts and styles of the first view, in the language that takes most. */
  readonly firstBytes: number
  /** With those of every page, section and dialog that is loaded when it is opened. */
  readonly bytes: number
  /** What it was made of, packages included. */
  readonly modules: readonly string[]
}

/** Builds the web page into the directory, each larger file also compressed. Rejects for a broken result. */
export async function buildGui(directory: string): Promise<BuiltGui> {
  const modules: string[] = []
  const first = new Set<string>()
  // Styles are not among the modules of any output file, so all that were loaded are listed.
  const collect: Plugin = {
    name: 'modules',
    generateBundle(_options, bundle) {
      modules.push(...this.getModuleIds())
      const add = (name: string): void => {
        const file = bundle[name]
        if (first.has(name) || file?.type !== 'chunk') return
        first.add(name)
        file.imports.forEach(add)
      }
      for (const [name, file] of Object.entries(bundle)) if (file.type === 'chunk' && file.isEntry) add(name)
    },
  }
  const settings = { outDir: directory, emptyOutDir: true }
  const configFile = join(root, 'gui', 'vite.config.ts')
  await build({ configFile, logLevel: 'warn', plugins: [collect], build: settings })
  checkBundle(directory)
  writeManual(directory)
  let [firstScriptBytes, scriptBytes] = [0, 0]
  let languageBytes = 0
  for (const name of readdirSync(join(directory, 'assets'))) {
    const path = join(directory, 'assets', name)
    const content = readFileSync(path)
    if (content.length < COMPRESS_BYTES_MIN) continue
    const compressed = gzipSync(content, { level: 9 })
    writeFileSync(`${path}.gz`, compressed)
    if (LANGUAGE_FILE.test(name)) languageBytes = Math.max(languageBytes, compressed.length)
    else if (/\.(js|css)$/.test(name)) scriptBytes += compressed.length
    if (first.has(`assets/${name}`) || /^index-.*\.css$/.test(name)) firstScriptBytes += compressed.length
  }
  return { firstBytes: firstScriptBytes + languageBytes, bytes: scriptBytes + languageBytes, modules }
}
