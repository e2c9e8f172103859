import type { Identity } from '../net.ts'

/** The bytes of a PEM text; the simulation does not need a valid certificate. */
export function derOf(identity: Identity): Uint8Array {
  const body = identity.certificatePem.replace(/-----[^-]*-----/g, '').replace(/\s/g, '')
  return new Uint8Array(Buffer.from(body, 'base64'))
}
