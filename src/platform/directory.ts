/** A connection to a directory server (LDAP). Disposal closes it. */
export interface DirectoryStream extends AsyncDisposable {
  /** Exactly this many bytes. Rejects when the server ends before, or the signal aborts. */
  take(count: number, signal: AbortSignal): Promise<Uint8Array>
  write(data: Uint8Array): Promise<void>
  /** Continues with TLS. Rejects when the server has sent something that belongs to neither. */
  startTls(signal: AbortSignal): Promise<void>
}

export interface DirectoryOptions {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
  /** Whether an authority that this machine trusts has to vouch for the host. */
  readonly isVerified: boolean
}

export type DialDirectory = (options: DirectoryOptions, signal: AbortSignal) => Promise<DirectoryStream>
