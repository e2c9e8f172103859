import type { Config } from '../../core/config/config.ts'
import { configToJson } from '../../core/config/config-json.ts'
import { redactConfig, secretsIn } from '../../core/config/redact.ts'
import { REDACTED } from '../../core/redact-address.ts'
import { formatJson } from '../pipeline/json.ts'
import type { ZipFile } from '../formats/zip.ts'

/** Shorter secrets occur by chance in other text, and are not redacted there. */
const SECRET_LENGTH_MIN = 4

export interface BundlePart {
  readonly name: string
  /** Called when the file is written. An error is written into the bundle instead. */
  read(): Promise<string> | string
}

/** The texts of a support bundle, one after the other, each without the secrets of the configuration. */
export async function* bundleFiles(parts: readonly BundlePart[], secrets: readonly string[]): AsyncGenerator<ZipFile> {
  for (const { name, read } of parts) {
    let content: string
    try {
      content = await read()
    } catch (error) {
      content = `could not be made: ${error instanceof Error ? error.message : String(error)}\n`
    }
    yield { name, content: withoutSecrets(content, secrets) }
  }
}

/** The configuration without credentials and user names. */
export function redactedConfig(config: Config): string {
  return formatJson(configToJson(redactConfig(config, { personal: true })))
}

/** All secrets of a configuration, and other API keys. */
export function secretsOf(config: Config, others: readonly (string | undefined)[]): readonly string[] {
  const all = [...secretsIn(config), ...others.filter((secret) => secret !== undefined)]
  const distinct = [...new Set(all)].filter(({ length }) => length >= SECRET_LENGTH_MIN)
  return distinct.sort((a, b) => b.length - a.length) // a secret that contains another comes first
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) {
    for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
      clean = clean.replaceAll(form, REDACTED)
  }
  return clean
}
