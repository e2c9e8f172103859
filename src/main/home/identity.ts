import { X509Certificate, createPrivateKey } from 'node:crypto'
import { dirname } from 'node:path'
import { deviceIdFromCertificate } from '../../core/device-id.ts'
import { TwinfoldError, messageOf, systemCode } from '../../core/errors.ts'
import type { DeviceId } from '../../core/ids.ts'
import { writeFileAtomically } from '../../platform/files/atomic-write.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Disk } from '../../platform/disk.ts'
import type { Identity } from '../../platform/net.ts'
import type { Random } from '../../platform/random.ts'
import { makeCertificate, type KeyType } from './certificate.ts'
import type { Locations } from '../../core/locations.ts'
import { fillBuffer } from '../../platform/fill-buffer.ts'

const DEVICE_LIFETIME_DAYS = 20 * 365
const HTTPS_LIFETIME_DAYS = 820
const HTTPS_RENEW_DAYS = 30
const DAY_MS = 24 * 3600 * 1000
const DEVICE_NAME = 'syncthing'
const PEM_BYTES_MAX = 1024 * 1024
const PUBLIC = 0o644
const PRIVATE = 0o600
const PRIVATE_DIRECTORY = 0o700

export interface IdentityDeps {
  readonly disk: Disk
  readonly clock: Pick<Clock, 'nowMs'>
  readonly random: Random
}

export interface DeviceIdentity extends Identity {
  readonly deviceId: DeviceId
  /** True when this call created it. */
  readonly created: boolean
}

type IdentityFiles = Pick<Locations, 'certificateFile' | 'keyFile'>

/** Creates the missing directories of a home and removes the access of other users. */
export async function ensureHome(
  disk: Disk,
  locations: Pick<Locations, 'configDirectory' | 'dataDirectory'>,
): Promise<void> {
  for (const directory of new Set([locations.configDirectory, locations.dataDirectory])) {
    await disk.makeDirectories(directory, PRIVATE_DIRECTORY)
    // Also for an existing directory: it will hold the keys. A home may be a symlink of the user.
    await disk.chmod(await disk.realPath(directory), PRIVATE_DIRECTORY).catch(ignoreUnsupported)
  }
}

/**
 * The identity of this home. Created only if neither file exists: with one of them missing or damaged the start fails,
 * because a new identity would be a new device that shares no folders.
 */
export async function loadOrMakeIdentity(deps: IdentityDeps, files: IdentityFiles): Promise<DeviceIdentity> {
  return (await loadIdentity(deps.disk, files)) ?? (await makeIdentity(deps, files))
}

/** Undefined when neither file exists; throws `identity-invalid` when the files are not an identity. */
export async function loadIdentity(disk: Disk, files: IdentityFiles): Promise<DeviceIdentity | undefined> {
  const pair = await readPair(disk, files)
  if (pair === undefined) return undefined
  const certificate = checkPair(pair, files)
  return { ...pair, deviceId: deviceIdFromCertificate(certificate.raw), created: false }
}

/** Makes this pair the identity of a new home. Throws `identity-invalid` where the home has another. */
export async function adoptIdentity(deps: IdentityDeps, files: IdentityFiles, pair: Identity): Promise<void> {
  const present = await loadIdentity(deps.disk, files)
  const wanted = deviceIdFromCertificate(checkPair(pair, files).raw)
  if (present === undefined) await writePair(deps, pair, files)
  else if (present.deviceId !== wanted) {
    const message = `the home is that of device ${present.deviceId}, the set-up file has the identity of ${wanted}`
    throw invalid(`${message}. Use another home, or remove the identity from the file`)
  }
}

async function makeIdentity(deps: IdentityDeps, files: IdentityFiles): Promise<DeviceIdentity> {
  const identity = await make(deps, DEVICE_NAME, 'Ed25519', DEVICE_LIFETIME_DAYS)
  await writePair(deps, identity, files)
  const deviceId = deviceIdFromCertificate(new X509Certificate(identity.certificatePem).raw)
  return { ...identity, deviceId, created: true }
}

/**
 * The certificate that the GUI shows to browsers. Created if missing, renewed when Twinfold created it and it is about
 * to expire; a certificate from elsewhere is used as it is.
 */
export async function loadOrMakeHttpsIdentity(
  deps: IdentityDeps,
  locations: Pick<Locations, 'httpsCertificateFile' | 'httpsKeyFile'>,
  hostName: string,
): Promise<Identity> {
  const files = { certificateFile: locations.httpsCertificateFile, keyFile: locations.httpsKeyFile }
  const pair = await readPair(deps.disk, files)
  if (pair !== undefined) {
    const certificate = checkPair(pair, files)
    if (!isOurs(certificate) || daysLeft(certificate, deps.clock.nowMs()) >= HTTPS_RENEW_DAYS) return pair
  }
  const identity = await make(deps, certificateName(hostName), 'P-256', HTTPS_LIFETIME_DAYS)
  await writePair(deps, identity, files)
  return identity
}

function make(deps: IdentityDeps, commonName: string, keyType: KeyType, lifetimeDays: number): Promise<Identity> {
  return makeCertificate({ commonName, keyType, lifetimeDays, nowMs: deps.clock.nowMs(), serial: deps.random.bytes(8) })
}

/** A host name may hold any characters; a certificate takes 64 plain ones. */
function certificateName(hostName: string): string {
  const name = hostName
    .replace(/[^A-Za-z0-9.-]/g, '-')
    .slice(0, 63)
    .replace(/^[.-]+|[.-]+$/g, '')
  return name === '' ? DEVICE_NAME : name
}

function isOurs(certificate: X509Certificate): boolean {
  return certificate.subject === certificate.issuer && /^OU=Automatically Generated$/m.test(certificate.subject)
}

function daysLeft(certificate: X509Certificate, nowMs: number): number {
  return (certificate.validToDate.getTime() - nowMs) / DAY_MS
}

async function readPair(disk: Disk, files: IdentityFiles): Promise<Identity | undefined> {
  await finishInterrupted(disk, files)
  const certificatePem = await readPem(disk, files.certificateFile)
  const keyPem = await readPem(disk, files.keyFile)
  if (certificatePem === undefined && keyPem === undefined) return undefined
  if (certificatePem === undefined) throw halfMissing(files.certificateFile, files.keyFile)
  if (keyPem === undefined) throw halfMissing(files.keyFile, files.certificateFile)
  return { certificatePem, keyPem }
}

/** The temporary name of a new certificate until its key is in place. */
function pendingCertificateFile(files: IdentityFiles): string {
  return `${files.certificateFile}.new`
}

/** Completes a pair after a crash that left the key in place and the certificate under its temporary name. */
async function finishInterrupted(disk: Disk, files: IdentityFiles): Promise<void> {
  const waiting = await readPem(disk, pendingCertificateFile(files))
  const keyPem = waiting === undefined ? undefined : await readPem(disk, files.keyFile)
  if (waiting === undefined || keyPem === undefined || !isPair(waiting, keyPem)) return
  const present = await readPem(disk, files.certificateFile)
  if (present === undefined || !isPair(present, keyPem)) await completePair(disk, files)
}

function isPair(certificatePem: string, keyPem: string): boolean {
  try {
    return new X509Certificate(certificatePem).checkPrivateKey(createPrivateKey(keyPem))
  } catch {
    return false // an unreadable file matches no key
  }
}

async function completePair(disk: Disk, files: IdentityFiles): Promise<void> {
  await disk.rename(pendingCertificateFile(files), files.certificateFile)
  await disk.syncDirectory(dirname(files.certificateFile))
}

function halfMissing(missing: string, present: string): TwinfoldError {
  const advice = 'Put it back from a backup, or move the other away to become a new device'
  return invalid(`${missing} is missing while ${present} exists. ${advice}`)
}

async function readPem(disk: Disk, path: string): Promise<string | undefined> {
  try {
    // A key may be a symlink into a keyring: the target is checked.
    const target = await disk.realPath(path)
    await using file = await disk.open(target, 'read')
    const { sizeBytes } = await file.stat()
    if (sizeBytes > PEM_BYTES_MAX) throw new Error('it is too large')
    const data = new Uint8Array(sizeBytes)
    const length = await fillBuffer(file, data)
    return Buffer.from(data.subarray(0, length)).toString('latin1')
  } catch (error) {
    if (systemCode(error) === 'ENOENT' && !(await exists(disk, path))) return undefined
    throw invalid(`${path} cannot be read: ${messageOf(error)}`, error)
  }
}

/** True for a dangling symlink: a broken identity, not a missing one. */
async function exists(disk: Disk, path: string): Promise<boolean> {
  return disk.lstat(path).then(
    () => true,
    (error: unknown) => systemCode(error) !== 'ENOENT',
  )
}

function checkPair(pair: Identity, files: IdentityFiles): X509Certificate {
  const certificate = understand(files.certificateFile, () => new X509Certificate(pair.certificatePem))
  const key = understand(files.keyFile, () => createPrivateKey(pair.keyPem))
  if (!certificate.checkPrivateKey(key)) {
    throw invalid(`${files.keyFile} is not the key of ${files.certificateFile}. Put the pair back from a backup`)
  }
  return certificate
}

function understand<T>(path: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    // The library's message may quote the content, which may be a key: it stays in the cause.
    throw invalid(`${path} is damaged or of an unknown kind. Put it back from a backup`, error)
  }
}

/** Two files cannot change atomically: the certificate is put in place last, and the next start completes the pair. */
async function writePair(deps: IdentityDeps, identity: Identity, files: IdentityFiles): Promise<void> {
  const { disk, random } = deps
  await disk.makeDirectories(dirname(files.keyFile), PRIVATE_DIRECTORY)
  const temporaryName = () => `.syncthing.tmp.${random.int(1_000_000_000)}`
  const encoder = new TextEncoder()
  await writeFileAtomically(
    disk,
    pendingCertificateFile(files),
    encoder.encode(identity.certificatePem),
    PUBLIC,
    temporaryName(),
  )
  await writeFileAtomically(disk, files.keyFile, encoder.encode(identity.keyPem), PRIVATE, temporaryName())
  await completePair(disk, files)
}

function invalid(message: string, cause?: unknown): TwinfoldError {
  return new TwinfoldError('identity-invalid', message, cause === undefined ? undefined : { cause })
}

/** File systems without modes (FAT, some network shares) fail here; the start continues. */
function ignoreUnsupported(error: unknown): void {
  const code = systemCode(error)
  if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS' && code !== 'EROFS') throw error
}
