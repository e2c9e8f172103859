import type { LocalCall } from '../../cli/args/types.ts'
import { versionJson } from '../../http/version.ts'
import { versionFacts } from '../version.ts'

export async function versionCommand({ program, environment, show }: LocalCall): Promise<void> {
  const system = { platform: process.platform, architecture: process.arch }
  const version = versionJson(versionFacts(system, environment['STVERSIONEXTRA'] ?? ''))
  show(version, version.longVersion.replace(/^\w+/, program))
}
