import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { missingProgram, required } from './debian.ts'
import { missingNamespaces } from './loopback.ts'

export const BASE = 'dc=example,dc=org'
export const ADMIN = { name: `cn=admin,${BASE}`, password: 'admin-secret' } as const

/** What is missing to run a real LDAP server here, or undefined; throws under CI=true. */
export function missingSlapd(): string | undefined {
  if (process.getuid?.() !== 0) return required('a real slapd is installed and started as root only')
  return missingProgram('slapd', 'slapd') ?? missingProgram('openssl', 'openssl') ?? missingNamespaces()
}

export interface LdapUser {
  readonly uid: string
  readonly password: string
  readonly description: string
}

/**
 * A real slapd with users below `ou=people`, plain and with TLS of an authority of its own. It allows unauthenticated
 * binds, as some servers do: with an empty password they succeed. Ends with its scope.
 */
export class Slapd implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly plain: string
  readonly tls: string
  /** The certificate of its authority. */
  readonly authorityFile: string

  private constructor(child: ChildProcess, port: number, authorityFile: string) {
    this.#child = child
    this.plain = `localhost:${port}`
    this.tls = `localhost:${port + 1}`
    this.authorityFile = authorityFile
  }

  static async start(
    directory: string,
    users: readonly LdapUser[],
    { before, port }: { readonly before: readonly string[]; readonly port: number },
  ): Promise<Slapd> {
    mkdirSync(join(directory, 'data'), { recursive: true })
    const config = join(directory, 'slapd.conf')
    makeCertificates(directory)
    writeFileSync(config, configOf(directory), { mode: 0o600 })
    writeFileSync(join(directory, 'users.ldif'), entriesOf(users))
    run('slapadd', ['-f', config, '-l', join(directory, 'users.ldif')], directory)
    const places = `ldap://localhost:${port} ldaps://localhost:${port + 1}`
    // With a debug level it stays in the foreground; level 256 prints what it was asked.
    const [program, ...args] = [...before, 'slapd', '-f', config, '-h', places, '-d', '256']
    const child = spawn(program!, args, { stdio: ['ignore', 'inherit', 'pipe'] })
    let printed = ''
    const started = Promise.withResolvers<void>()
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      if (printed.includes('slapd starting')) started.resolve()
    })
    child.once('exit', (code) => started.reject(new Error(`slapd ended with ${code}:\n${printed}`)))
    await started.promise
    return new Slapd(child, port, join(directory, 'authority.pem'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill('SIGKILL')
    await once(this.#child, 'exit')
  }
}

function configOf(directory: string): string {
  return `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
allow bind_anon_cred bind_anon_dn
modulepath /usr/lib/ldap
moduleload back_mdb
TLSCACertificateFile ${join(directory, 'authority.pem')}
TLSCertificateFile ${join(directory, 'server.pem')}
TLSCertificateKeyFile ${join(directory, 'server.key')}
database mdb
suffix "${BASE}"
rootdn "${ADMIN.name}"
rootpw ${ADMIN.password}
directory ${join(directory, 'data')}
access to attrs=userPassword by anonymous auth by * none
access to * by users read by anonymous auth
`
}

function entriesOf(users: readonly LdapUser[]): string {
  const entries = users.map(
    ({ uid, password, description }) =>
      `dn: uid=${uid},ou=people,${BASE}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\nsn: ${uid}\n` +
      `userPassword: ${password}\ndescription: ${description}\n`,
  )
  const above = [
    `dn: ${BASE}\nobjectClass: dcObject\nobjectClass: organization\no: example\ndc: example\n`,
    `dn: ou=people,${BASE}\nobjectClass: organizationalUnit\nou: people\n`,
  ]
  return [...above, ...entries].join('\n')
}

function makeCertificates(directory: string): void {
  const name = (text: string) => ['-subj', `/CN=${text}`]
  const keys = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const files = (base: string) => ['-keyout', `${base}.key`, '-out', `${base}.pem`]
  const usable = ['-addext', 'subjectAltName=DNS:localhost']
  run('openssl', ['req', '-x509', ...keys, ...files('authority'), ...name('Test Authority')], directory)
  const signed = ['-CA', 'authority.pem', '-CAkey', 'authority.key', ...usable]
  run('openssl', ['req', '-x509', ...keys, ...files('server'), ...name('localhost'), ...signed], directory)
}

function run(program: string, args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', timeout: 60_000 })
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`)
}
