import { readFile } from 'node:fs/promises'
import { isJsonObject, type JsonObject } from '../../core/config/config-json.ts'
import { deviceIdFromBytes } from '../../core/device-id.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { parseSetup } from '../../core/setup/setup-file.ts'
import type { Platform } from '../../platform/platform.ts'
import type { ServeOptions } from '../args/options.ts'
import { adoptIdentity, loadIdentity } from './identity.ts'

/** The set-up file of the start, if there is one; its identity becomes that of a new home. */
export async function readStartSetup(platform: Platform, options: ServeOptions): Promise<JsonObject | undefined> {
  const { applyFile, locations } = options
  const { disk, random, clock, system } = platform
  if (applyFile === undefined) return undefined
  const { readSetupFile } = await import('../../cli/setup-file.ts')
  const document = await readSetupFile(
    {
      readText: (path) => readFile(path, 'utf8'),
      environment: (name) => system.environment(name),
    },
    applyFile,
  )
  // A new home would have an identity, and that of the file would be refused once its name is right.
  if ((await loadIdentity(disk, locations)) === undefined) parseSetup(document, [placeholderOf(system.hostName)])
  const { identity } = document
  if (identity === undefined || !isJsonObject(identity)) return document
  const { certificate, key } = identity
  if (typeof certificate !== 'string' || typeof key !== 'string')
    throw new TwinfoldError('usage', `${applyFile}: identity needs certificate and key`)
  await adoptIdentity({ disk, random, clock }, locations, { certificatePem: certificate, keyPem: key })
  return { ...document, identity: { certificate } }
}

/** A new device has the name of its host, and a set-up file may use it. */
function placeholderOf(name: string) {
  return { name, deviceID: deviceIdFromBytes(new Uint8Array(32)) }
}
