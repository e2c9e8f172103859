import { readFileSync } from 'node:fs'

/** The one place the version comes from: package.json, beside src/ in a clone and beside dist/ in a package. */
function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest && typeof manifest.version === 'string') {
    return manifest.version
  }
  throw new Error('package.json has no version')
}

/** Semantic, without a leading `v`. */
export const VERSION = packageVersion()
