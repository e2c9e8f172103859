import { messageOf, TwinfoldError } from '../core/errors.ts'
import { plainText } from '../core/formats/plain-text.ts'
import { isExempt, proxyFromEnvironment } from '../core/network/proxy.ts'
import { changesUpTo, newestRelease, readChanges, readReleaseList, releaseRelation } from '../core/releases/releases.ts'
import type { ClientResponse, ClientRequest, HttpClient } from '../platform/http-client.ts'
import type { FoundRelease } from './types.ts'

/** The list of a package with a thousand releases is about a megabyte. */
const LIST_BYTES_MAX = 4 * 1024 * 1024
const MANIFEST_BYTES_MAX = 512 * 1024
const TIMEOUT_MS = 20_000
/** Requests the abbreviated metadata that installers use; registries without it send the full document. */
const LIST_TYPE = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8'

export interface RegistryDeps {
  readonly http: HttpClient
  environment(name: string): string | undefined
}

export interface ReleaseQuery {
  /** The address of the package in the registry. */
  readonly source: string
  /** Without a leading `v`. */
  readonly running: string
  readonly preReleases: boolean
}

/**
 * Queries the registry for the release to upgrade to: first the list, then the manifest of that release with its
 * changes. Rejects with `upgrade-failed` and a readable reason. Sends nothing about this device except the running
 * version.
 */
export async function findRelease(deps: RegistryDeps, query: ReleaseQuery, signal: AbortSignal): Promise<FoundRelease> {
  const { source, running, preReleases } = query
  const get = (request: Omit<ClientRequest, 'timeoutMs'>) => getJson(deps, running, request, signal)
  const json = await get({ url: source, headers: { Accept: LIST_TYPE }, responseBytesMax: LIST_BYTES_MAX })
  const list = readReleaseList(json)
  if (list === undefined) throw failed(source, 'the response is not package metadata')
  const version = newestRelease(list, preReleases)
  if (version === undefined) throw failed(source, 'no release published')
  const relation = releaseRelation(version, running)
  if (!relation.endsWith('newer')) return { version, relation, changes: [] }
  const url = `${source}/${version}`
  const manifest = await get({ url, headers: { Accept: 'application/json' }, responseBytesMax: MANIFEST_BYTES_MAX })
  return { version, relation, changes: changesUpTo(version, running, readChanges(manifest)) }
}

async function getJson(
  deps: RegistryDeps,
  running: string,
  request: Omit<ClientRequest, 'timeoutMs'>,
  signal: AbortSignal,
): Promise<unknown> {
  const { url } = request
  const headers = { ...request.headers, 'User-Agent': `twinfold/${running}` }
  const response = await deps.http
    .send({ ...request, ...proxyFor(deps, url), headers, timeoutMs: TIMEOUT_MS }, signal)
    .catch((error: unknown) => {
      signal.throwIfAborted()
      throw failed(url, messageOf(error), error)
    })
  if (response.status !== 200) throw failed(url, refusalOf(response))
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(response.body))
    return json
  } catch (error) {
    throw failed(url, 'the response is not JSON', error)
  }
}

/** Loopback and the hosts of `no_proxy` are contacted directly. */
function proxyFor({ environment }: RegistryDeps, url: string): Pick<ClientRequest, 'proxy'> {
  const proxy = proxyFromEnvironment(environment, () => {}) // the dialer has warned about a bad one
  return proxy === undefined || isExempt(new URL(url).hostname, proxy.exceptions) ? {} : { proxy }
}

function refusalOf({ status, headers }: ClientResponse): string {
  const to = headers['location']
  if (status < 300 || status >= 400 || to === undefined) return `HTTP status ${status}`
  return `it redirects to ${plainText(to, 200)}, which is not followed; set releasesURL to that address if it is right`
}

function failed(url: string, why: string, cause?: unknown): TwinfoldError {
  return new TwinfoldError('upgrade-failed', `${url}: ${why}`, { cause })
}
