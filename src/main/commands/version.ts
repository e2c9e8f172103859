import type { LocalCall } from '../../cli/args/types.ts'
import { versionJson } from '../../http/views/version.ts'
import { realSystem } from '../../platform/node/system.ts'
import { versionFacts } from '../version.ts'

export async function versionCommand({ program, environment, show }: LocalCall): Promise<void> {
  const version = versionJson(versionFacts(realSystem, environment['STVERSIONEXTRA'] ?? ''))
  show(version, version.longVersion.replace(/^\w+/, program))
}
