import { endianness } from 'node:os'
import { realDisk } from '../../world/real/disk.ts'
import { realPrograms } from '../../world/real/programs.ts'
import { versionFacts } from '../version.ts'
import { runService, type ServiceOutput } from './command.ts'
import { readServiceWords } from './flags.ts'
import { thisMachine } from './machine.ts'

/** `service` on this machine: the exit code, or the wish to see the help. */
export async function service(words: readonly string[], output: ServiceOutput): Promise<number | 'help'> {
  const system = { platform: process.platform, architecture: process.arch, endianness: endianness() }
  const { version } = versionFacts(system, '')
  const world = { disk: realDisk, programs: realPrograms, signal: new AbortController().signal }
  const machine = thisMachine(world, version)
  const request = readServiceWords(words, machine.environment, machine.platform)
  return request.help ? 'help' : runService(machine, request, output)
}
