import { readFile } from 'node:fs/promises'
import { isJsonObject, type JsonObject } from '../../core/config/config-json.ts'
import { TwinfoldError } from '../../core/errors.ts'
import type { Platform } from '../../platform/platform.ts'
import type { ServeOptions } from '../args/options.ts'
import { adoptIdentity } from './identity.ts'

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
  const { identity } = document
  if (identity === undefined || !isJsonObject(identity)) return document
  const { certificate, key } = identity
  if (typeof certificate !== 'string' || typeof key !== 'string')
    throw new TwinfoldError('usage', `${applyFile}: identity needs certificate and key`)
  await adoptIdentity({ disk, random, clock }, locations, { certificatePem: certificate, keyPem: key })
  return { ...document, identity: { certificate } }
}
