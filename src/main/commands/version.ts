import type { LocalCall } from '../../cli/args/types.ts'
import { versionJson } from '../../http/views/version.ts'
import { nodeSystem } from '../../platform/node/system.ts'
import { versionFacts } from '../version.ts'

export async function versionCommand({ program, environment, show }: LocalCall): Promise<void> {
  const version = versionJson(versionFacts(nodeSystem, environment['STVERSIONEXTRA'] ?? ''))
  show(version, version.longVersion.replace(/^\w+/, program))
}
