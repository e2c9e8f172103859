import type { LdapConfig } from '../../core/config/config.ts'
import { messageOf, TwinfoldError } from '../../core/errors.ts'
import { bigEndian, lengthOf, malformed, TAG } from '../../core/ldap/ber.ts'
import {
  bindRequest,
  MESSAGE_BYTES_MAX,
  readReply,
  RESULT,
  searchRequest,
  startTlsRequest,
  unbindRequest,
  type DirectoryReply,
} from '../../core/ldap/messages.ts'
import { bindName, searchFilter } from '../../core/ldap/names.ts'
import type { Clock } from '../../platform/clock.ts'
import type { DialDirectory, DirectoryOptions, DirectoryStream } from '../../platform/directory.ts'
import type { Credentials } from './credentials.ts'

/** The whole login; a server that takes longer is not waited for. */
const LOGIN_MS_MAX = 10_000
const SEARCH_S_MAX = 5
/** Entries, references and the result of one search. */
const REPLIES_MAX = 100
const PORTS = { plain: 389, starttls: 389, tls: 636 } as const

export interface LdapLoginDeps {
  readonly clock: Pick<Clock, 'sleep'>
  readonly dial: DialDirectory
}

/**
 * Whether a directory server accepts the credentials, and where a search is configured, finds exactly one entry.
 * Rejects with `password-unavailable` when it cannot be asked: that is not a failed attempt.
 */
export async function loginAtDirectory(
  deps: LdapLoginDeps,
  ldap: LdapConfig,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<boolean> {
  // A server takes an empty password for a connection without a user, and answers with success.
  if (credentials.username === '' || credentials.password === '') return false
  const over = new AbortController()
  const bounded = AbortSignal.any([signal, over.signal])
  const limit = deps.clock.sleep(LOGIN_MS_MAX, bounded).then(
    () => over.abort(new TwinfoldError('password-unavailable', `no reply within ${LOGIN_MS_MAX / 1_000} s`)),
    () => {}, // it ended in time
  )
  try {
    return await askDirectory(deps.dial, ldap, credentials, bounded)
  } catch (error) {
    signal.throwIfAborted()
    const reason = messageOf(over.signal.aborted ? over.signal.reason : error)
    throw new TwinfoldError('password-unavailable', `the LDAP server ${ldap.address} cannot check logins: ${reason}`, {
      cause: error,
    })
  } finally {
    over.abort()
    await limit
  }
}

async function askDirectory(
  dial: DialDirectory,
  ldap: LdapConfig,
  { username, password }: Credentials,
  signal: AbortSignal,
): Promise<boolean> {
  checkSettings(ldap)
  await using stream = await dial(addressOf(ldap), signal)
  const exchange = new DirectoryExchange(stream, signal)
  if (ldap.transport === 'starttls') await exchange.startTls()
  if (!(await exchange.bind(bindName(ldap.bindDN, username), password))) return false
  const isFound =
    ldap.searchFilter === '' ||
    (await exchange.countEntries(ldap.searchBaseDN, searchFilter(ldap.searchFilter, username))) === 1
  await exchange.end()
  return isFound
}

function checkSettings({ bindDN, searchBaseDN, searchFilter: filter }: LdapConfig): void {
  if (bindDN === '') throw new TwinfoldError('config-invalid', 'the LDAP settings have no bindDN')
  if ((searchBaseDN === '') === (filter === '')) return
  throw new TwinfoldError('config-invalid', 'the LDAP settings have only one of searchBaseDN and searchFilter')
}

function addressOf({ address, transport, insecureSkipVerify }: LdapConfig): DirectoryOptions {
  const [, inBrackets, name = inBrackets, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(address.trim()) ?? []
  const number = port === undefined ? PORTS[transport] : Number(port)
  if (name === undefined || number < 1 || number > 65_535) {
    throw new TwinfoldError('config-invalid', 'the address in the LDAP settings is not host:port')
  }
  return { host: name, port: number, isTls: transport === 'tls', isVerified: !insecureSkipVerify }
}

/** Requests of one connection, one after the other. */
class DirectoryExchange {
  readonly #stream: DirectoryStream
  readonly #signal: AbortSignal
  #id = 0

  constructor(stream: DirectoryStream, signal: AbortSignal) {
    this.#stream = stream
    this.#signal = signal
  }

  async startTls(): Promise<void> {
    await this.#stream.write(startTlsRequest(++this.#id))
    const { code } = await this.#reply('extended')
    if (code !== RESULT.success) throw malformed(`the code ${code} for StartTLS`)
    await this.#stream.startTls(this.#signal)
  }

  /** False for wrong credentials; other refusals are failures of the server or of its settings. */
  async bind(name: string, password: string): Promise<boolean> {
    await this.#stream.write(bindRequest(++this.#id, name, password))
    const { code } = await this.#reply('bound')
    if (code !== RESULT.success && !REFUSALS.has(code)) throw malformed(`the code ${code} for a bind`)
    return code === RESULT.success
  }

  async countEntries(baseName: string, filter: string): Promise<number> {
    await this.#stream.write(searchRequest(++this.#id, baseName, filter, SEARCH_S_MAX))
    let count = 0
    for (let replies = 0; replies < REPLIES_MAX; replies++) {
      const { is, code } = await this.#reply('entry', 'reference', 'searched')
      if (is === 'entry') count++
      if (is !== 'searched') continue
      // More than the limit is more than one; a missing base has no entries.
      return code === RESULT.success || code === RESULT.sizeLimitExceeded ? count : 0
    }
    throw malformed('too many replies to a search')
  }

  async end(): Promise<void> {
    await this.#stream.write(unbindRequest(++this.#id))
  }

  async #reply(...expected: readonly DirectoryReply['is'][]): Promise<DirectoryReply> {
    const reply = readReply(await this.#message())
    if (reply.id !== this.#id || !expected.includes(reply.is)) throw malformed('a reply to another request')
    return reply
  }

  async #message(): Promise<Uint8Array> {
    const [tag = 0, second = 0] = await this.#stream.take(2, this.#signal)
    if (tag !== TAG.sequence) throw malformed('no message of LDAP')
    const { more, length: short } = lengthOf(second)
    const length = more === 0 ? short : bigEndian(await this.#stream.take(more, this.#signal))
    if (length > MESSAGE_BYTES_MAX) throw malformed(`a message of ${length} bytes`)
    return await this.#stream.take(length, this.#signal)
  }
}

/** Result codes by which servers refuse credentials: names that no entry has, or that are none, are among them. */
const REFUSALS: ReadonlySet<number> = new Set([
  RESULT.invalidCredentials,
  RESULT.noSuchObject,
  RESULT.invalidName,
  RESULT.inappropriate,
  RESULT.unwilling,
])
