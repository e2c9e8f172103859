import { dirname, resolve } from 'node:path'
import { isJsonObject, type Json, type JsonObject } from '../core/config/config-json.ts'
import { messageOf, TwinfoldError } from '../core/errors.ts'

/** Aliases of YAML multiply what they name. */
const ALIASES_MAX = 100
const DEPTH_MAX = 20

export interface SetupFileDeps {
  readText(path: string): Promise<string>
  environment(name: string): string | undefined
}

/**
 * Reads a set-up file, YAML or JSON. A value `{file: PATH}` or `{env: NAME}` is the first line of that file, or that
 * variable: secrets need not be in the file.
 */
export async function readSetupFile(deps: SetupFileDeps, path: string): Promise<JsonObject> {
  const { parse } = await import('yaml')
  const text = await deps.readText(path)
  const name = path === '-' ? 'the input' : path
  try {
    if (text.trim() === '') throw new TwinfoldError('usage', 'it is empty')
    const document = parse(text, { maxAliasCount: ALIASES_MAX }) as Json
    if (!isJsonObject(document)) throw new TwinfoldError('usage', 'it is not a list of sections')
    // Paths in the file are relative to it.
    const readText = (name: string) => deps.readText(resolve(dirname(path), name))
    return (await resolved({ ...deps, readText }, document, '', 0)) as JsonObject
  } catch (error) {
    throw new TwinfoldError('usage', `${name}: ${messageOf(error)}`, { cause: error })
  }
}

async function resolved(deps: SetupFileDeps, json: Json, path: string, depth: number): Promise<Json> {
  if (depth > DEPTH_MAX) throw new TwinfoldError('usage', `${path} is too deep`)
  if (Array.isArray(json)) {
    const items: Json[] = []
    for (const [i, item] of (json as readonly Json[]).entries())
      items.push(await resolved(deps, item, `${path}[${i}]`, depth + 1))
    return items
  }
  if (!isJsonObject(json)) return json
  const [name, ...others] = Object.keys(json)
  if (others.length === 0 && (name === 'file' || name === 'env')) return await textOf(deps, name, json[name]!, path)
  const fields: [string, Json][] = []
  for (const [key, value] of Object.entries(json))
    fields.push([key, await resolved(deps, value, path === '' ? key : `${path}.${key}`, depth + 1)])
  return Object.fromEntries(fields)
}

async function textOf(deps: SetupFileDeps, kind: 'file' | 'env', source: Json, path: string): Promise<string> {
  if (typeof source !== 'string') throw new TwinfoldError('usage', `${path}.${kind} is not a text`)
  if (kind === 'env') {
    const value = deps.environment(source)
    if (value === undefined || value === '') throw new TwinfoldError('usage', `${path}: ${source} is not set`)
    return value
  }
  const text = await deps.readText(source)
  if (path.startsWith('identity.')) return text
  const [line = ''] = text.split(/\r?\n/)
  if (line === '') throw new TwinfoldError('usage', `${path}: the first line of ${source} is empty`)
  return line
}
