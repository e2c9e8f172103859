import { existsSync, readFileSync, statSync } from 'node:fs'
import type { VersionFacts } from '../http/types.ts'
import type { System } from '../platform/platform.ts'

/** The only source of the version: package.json, beside src/ in a clone and beside dist/ in a package. */
function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  if (
    typeof manifest === 'object' &&
    manifest !== null &&
    'version' in manifest &&
    typeof manifest.version === 'string'
  ) {
    return manifest.version
  }
  throw new Error('package.json has no version')
}

/** Semantic, without a leading `v`. */
const VERSION = packageVersion()

const CODENAME = 'Paper Crane'

/** The data of `--version`, `GET /rest/system/version` and the headers. */
export function versionFacts(
  system: Pick<System, 'platform' | 'architecture' | 'endianness'>,
  extra: string,
): VersionFacts {
  const builtMs = statSync(new URL('../../package.json', import.meta.url)).mtimeMs
  return {
    version: `v${VERSION}`,
    codename: CODENAME,
    runtime: `node${process.versions.node}`,
    platform: system.platform,
    architecture: system.architecture,
    endianness: system.endianness,
    builder: { user: 'twinfold', host: 'npm' },
    builtMs: Math.floor(builtMs / 1_000) * 1_000,
    tags: ['twinfold'],
    extra,
    container: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
  }
}
