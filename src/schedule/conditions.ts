import { isOnBattery, parseMetered, type ConditionAnswer } from '../core/schedule/conditions.ts'
import type { System } from '../platform/platform.ts'
import { PRIVATE_VARIABLES, type Programs } from '../platform/programs.ts'

const NETWORK_MANAGER = 'org.freedesktop.NetworkManager'
const TIME_LIMIT_MS = 5_000

interface ConditionDeps {
  readonly programs: Programs
  readonly system: Pick<System, 'platform' | 'powerSupplies'>
}

/** Whether the machine runs on its battery. */
export async function readBattery({ system }: ConditionDeps): Promise<ConditionAnswer> {
  return isOnBattery(await system.powerSupplies())
}

/** Whether NetworkManager holds the connection to the Internet for a metered one; unknown where there is none. */
export async function readMetered({ programs, system }: ConditionDeps, signal: AbortSignal): Promise<ConditionAnswer> {
  if (system.platform !== 'linux') return 'unknown'
  const path = `/${NETWORK_MANAGER.replaceAll('.', '/')}`
  // Starts nothing: asking must not start a NetworkManager that is installed but not used.
  const args = ['--system', '--auto-start=no', 'get-property', NETWORK_MANAGER, path, NETWORK_MANAGER, 'Metered']
  const run = { program: 'busctl', args, environment: {}, hidden: PRIVATE_VARIABLES, timeLimitMs: TIME_LIMIT_MS }
  const end = await programs.run(run, signal)
  return end.kind === 'exited' && end.code === 0 ? parseMetered(end.output) : 'unknown'
}
