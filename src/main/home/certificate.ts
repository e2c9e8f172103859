import type * as X509 from '@peculiar/x509'
import type { Identity } from '../../platform/net.ts'

const DAY_MS = 24 * 3600 * 1000
const CLIENT_AND_SERVER = ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']

/** The two kinds of generated keys: for devices, and for browsers, which do not support Ed25519. */
export type KeyType = 'Ed25519' | 'P-256'

export interface CertificateOptions {
  readonly commonName: string
  readonly keyType: KeyType
  readonly lifetimeDays: number
  readonly nowMs: number
  /** Eight bytes. */
  readonly serial: Uint8Array
}

/** A new key with a self-signed certificate, valid from midnight UTC so that it reveals no time of day. */
export async function makeCertificate(options: CertificateOptions): Promise<Identity> {
  const x509 = await loadX509()
  const algorithm = options.keyType === 'Ed25519' ? { name: 'Ed25519' } : { name: 'ECDSA', namedCurve: 'P-256' }
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  if (!('privateKey' in keys)) throw new Error('a key pair was expected')
  const notBeforeMs = options.nowMs - (options.nowMs % DAY_MS)
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialText(options.serial),
    name: [{ O: ['Syncthing'] }, { OU: ['Automatically Generated'] }, { CN: [options.commonName] }],
    notBefore: new Date(notBeforeMs),
    notAfter: new Date(notBeforeMs + options.lifetimeDays * DAY_MS),
    signingAlgorithm: options.keyType === 'Ed25519' ? { name: 'Ed25519' } : { name: 'ECDSA', hash: 'SHA-256' },
    keys,
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment, true),
      new x509.ExtendedKeyUsageExtension(CLIENT_AND_SERVER),
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: options.commonName }]),
    ],
  })
  const pkcs8 = new Uint8Array(await crypto.subtle.exportKey('pkcs8', keys.privateKey))
  return {
    certificatePem: `${certificate.toString('pem').trim()}\n`,
    keyPem: pem('PRIVATE KEY', pkcs8),
  }
}

/** Positive and without leading zeros, as certificate numbers must be. */
function serialText(serial: Uint8Array): string {
  const bytes = Uint8Array.from(serial)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return Buffer.from(bytes).toString('hex')
}

function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

/** Loaded on demand: large, and needed once per home. The library reads decorator metadata while it loads. */
async function loadX509(): Promise<typeof X509> {
  await import('reflect-metadata')
  return import('@peculiar/x509')
}
