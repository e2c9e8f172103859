import { plainLines } from '../formats/plain-text.ts'
import { compareVersions, parseVersion, versionText, type SemanticVersion } from './semver.ts'

/** The releases in the registry. Versions are valid and canonical, without a leading `v`. */
export interface ReleaseList {
  /** The version that the registry returns by default. */
  readonly latest: string | undefined
  readonly versions: readonly string[]
}

/** The changes of one release, as plain text of several lines. */
export interface ReleaseChanges {
  readonly version: string
  readonly text: string
}

/** `major-newer`: the first significant number is larger, so an upgrade may need attention. */
export type ReleaseRelation = 'older' | 'same' | 'newer' | 'major-newer'

const VERSIONS_MAX = 5_000
const CHANGES_MAX = 20
const CHANGES_LENGTH_MAX = 4_000

/**
 * Parses the abbreviated metadata of a package. Undefined for anything else. Versions that are deprecated
 * or malformed are left out.
 */
export function readReleaseList(json: unknown): ReleaseList | undefined {
  const versions = fieldOf(json, 'versions')
  if (!isObject(versions)) return undefined
  const offered = Object.entries(versions)
    .slice(0, VERSIONS_MAX)
    .filter(([, manifest]) => isObject(manifest) && !isDeprecated(manifest))
    .map(([version]) => canonical(version))
    .filter((version) => version !== undefined)
  const latest = fieldOf(fieldOf(json, 'dist-tags'), 'latest')
  return { latest: typeof latest === 'string' ? canonical(latest) : undefined, versions: offered }
}

/**
 * The release to upgrade to. Without pre-releases that is the registry's `latest` tag, which a maintainer moves when
 * withdrawing a release. With them it is the newest of all.
 */
export function newestRelease({ latest, versions }: ReleaseList, preReleases: boolean): string | undefined {
  if (!preReleases && latest !== undefined && versions.includes(latest) && !isPreRelease(latest)) return latest
  return versions
    .filter((version) => preReleases || !isPreRelease(version))
    .toSorted(byAge)
    .at(-1)
}

/** Compares a release with the running version; `older` also when either is invalid. */
export function releaseRelation(release: string, running: string): ReleaseRelation {
  const [there, here] = [parseVersion(release), parseVersion(running)]
  if (there === undefined || here === undefined) return 'older'
  const order = compareVersions(there, here)
  if (order <= 0) return order === 0 ? 'same' : 'older'
  return isMajorStep(here, there) ? 'major-newer' : 'newer'
}

/** Before 1.0.0 the second number marks breaking changes. */
function isMajorStep(from: SemanticVersion, to: SemanticVersion): boolean {
  return to.major > from.major || (from.major === 0 && to.minor > from.minor)
}

/** Reads `twinfold.changes` of the manifest of a release; malformed and excess entries are left out. */
export function readChanges(manifest: unknown): readonly ReleaseChanges[] {
  const changes = fieldOf(fieldOf(manifest, 'twinfold'), 'changes')
  if (!Array.isArray(changes)) return []
  return changes.slice(0, CHANGES_MAX).flatMap((change: unknown) => {
    const [version, text] = [fieldOf(change, 'version'), fieldOf(change, 'text')]
    if (typeof version !== 'string' || typeof text !== 'string') return []
    const canonicalVersion = canonical(version)
    return canonicalVersion === undefined
      ? []
      : [{ version: canonicalVersion, text: plainLines(text, CHANGES_LENGTH_MAX) }]
  })
}

/** The changes between the running version and that one, the newest first. */
export function changesUpTo(
  release: string,
  running: string,
  changes: readonly ReleaseChanges[],
): readonly ReleaseChanges[] {
  const isWanted = ({ version }: ReleaseChanges) =>
    releaseRelation(version, running).endsWith('newer') && !releaseRelation(version, release).endsWith('newer')
  return changes.filter(isWanted).toSorted((a, b) => byAge(b.version, a.version))
}

function byAge(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)]
  return left === undefined || right === undefined ? 0 : compareVersions(left, right)
}

function isPreRelease(version: string): boolean {
  return (parseVersion(version)?.preRelease.length ?? 0) > 0
}

function canonical(text: string): string | undefined {
  const version = parseVersion(text)
  return version === undefined ? undefined : versionText(version)
}

/** The registry revokes a deprecation by an empty text. */
function isDeprecated(manifest: object): boolean {
  const deprecated = fieldOf(manifest, 'deprecated')
  return deprecated !== undefined && deprecated !== '' && deprecated !== false
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}
