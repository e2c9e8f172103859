import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

const root = join(import.meta.dirname, '..')

/** Below this the names of headers weigh more than what is saved. */
const COMPRESS_BYTES_MIN = 1_024

/** Builds the web page into the directory, each larger file also compressed. Tells the compressed size of scripts and styles. */
export async function buildGui(directory: string): Promise<number> {
  await build({ configFile: join(root, 'gui', 'vite.config.ts'), logLevel: 'warn', build: { outDir: directory, emptyOutDir: true } })
  let scriptBytes = 0
  for (const name of readdirSync(join(directory, 'assets'))) {
    const path = join(directory, 'assets', name)
    const content = readFileSync(path)
    if (content.length < COMPRESS_BYTES_MIN) continue
    const compressed = gzipSync(content, { level: 9 })
    writeFileSync(`${path}.gz`, compressed)
    if (/\.(js|css)$/.test(name)) scriptBytes += compressed.length
  }
  return scriptBytes
}
