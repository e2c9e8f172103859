import type { VersionJson } from '../../rest/system.ts'
import { formatWholeSeconds } from './times.ts'
import type { VersionFacts } from '../types.ts'

/** Clients compare these with Go's names, so Node's are translated. */
const SYSTEMS: Readonly<Record<string, string>> = { win32: 'windows', sunos: 'solaris' }
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', mipsel: 'mipsle' }

/**
 * The reply to `GET /rest/system/version`. The long form keeps the word `syncthing` and its structure, because clients
 * match it; the codename and the tags identify Twinfold.
 */
export function versionJson(facts: VersionFacts): VersionJson {
  const os = SYSTEMS[facts.platform] ?? facts.platform
  const arch = goArchitecture(facts)
  const extra = facts.extra.replace(/[^A-Za-z0-9. -]/g, '').trim()
  const tags = [...facts.tags, ...(extra === '' ? [] : [extra])].toSorted()
  const date = formatWholeSeconds(facts.builtMs)
  const release = /^v\d+\.\d+\.\d+$/.test(facts.version)
  const { user, host } = facts.builder
  const built = date.replace('T', ' ').replace('Z', ' UTC')
  const platform = `(${facts.runtime} ${os}-${arch}) ${user}@${host}`
  return {
    arch,
    codename: facts.codename,
    container: facts.container,
    date,
    extra,
    isBeta: !release,
    isCandidate: facts.version.includes('-rc.'),
    isRelease: release,
    longVersion: `syncthing ${facts.version} "${facts.codename}" ${platform} ${built} [${tags.join(', ')}]`,
    os,
    stamp: String(Math.floor(facts.builtMs / 1_000)),
    tags,
    user,
    version: facts.version,
  }
}

/** One Go name per byte order, where Node has one name for both. */
function goArchitecture({ architecture, endianness }: VersionFacts): string {
  if (architecture === 'ppc64' && endianness === 'LE') return 'ppc64le'
  return ARCHITECTURES[architecture] ?? architecture
}
