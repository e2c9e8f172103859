import type { LocalCall } from '../../cli/args/types.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { nodeDisk } from '../../platform/node/disk/disk.ts'
import { nodePrograms } from '../../platform/node/programs.ts'
import { nodeSystem } from '../../platform/node/system.ts'
import { versionFacts } from '../version.ts'
import { runService } from './command.ts'
import { readServiceRequest, SERVICE_VERBS } from './flags.ts'
import { thisMachine } from './machine.ts'

/** `service` on this machine. Resolves to the exit code. */
export async function serviceCommand({ args, flags, environment, print, printError }: LocalCall): Promise<number> {
  const verb = SERVICE_VERBS.find((name) => name === args[0])
  if (verb === undefined) throw new TwinfoldError('usage', `service: expected ${SERVICE_VERBS.join(', ')}`)
  const { version } = versionFacts(nodeSystem, '')
  const ports = { disk: nodeDisk, programs: nodePrograms, signal: new AbortController().signal }
  const machine = thisMachine(ports, version)
  const request = readServiceRequest(verb, flags, environment, machine.platform)
  return runService(machine, request, { print, printError })
}
