import type { LocalCall } from '../../cli/args/types.ts'
import { versionJson } from '../../http/version.ts'
import { realSystem } from '../../world/real/system.ts'
import { versionFacts } from '../version.ts'

export async function versionCommand({ program, environment, show }: LocalCall): Promise<void> {
  const version = versionJson(versionFacts(realSystem, environment['STVERSIONEXTRA'] ?? ''))
  show(version, version.longVersion.replace(/^\w+/, program))
}
