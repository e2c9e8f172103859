import { isMissing, TwinfoldError } from '../../core/errors.ts'
import {
  findInstalled,
  readText,
  run,
  runAll,
  writeDefinition,
  type InstalledDefinition,
  type ServicePorts,
} from './definition.ts'
import { isSingleFile } from './program.ts'
import type { ServicePlan, ServiceState } from './types.ts'

export interface InstallResult {
  /** False when the same definition existed before. */
  readonly changed: boolean
}

/** Writes the definition, enables and starts the service. A failure restores the previous definition. */
export async function installService(ports: ServicePorts, plan: ServicePlan, force: boolean): Promise<InstallResult> {
  const before = await findInstalled(ports, plan)
  if (!force) refuseToReplace(plan, before)
  const changed = before.kind !== 'ours' || before.content !== plan.content
  if (changed) await writeDefinition(ports.disk, plan, plan.content)
  try {
    await runAll(ports, plan.install(changed))
  } catch (error) {
    if (changed) await undo(ports, plan, before)
    throw error
  } finally {
    if (plan.query !== undefined) await ports.disk.removeFile(plan.path).catch(() => {}) // only passed as an argument
  }
  return { changed }
}

function refuseToReplace({ id, path }: ServicePlan, before: InstalledDefinition): void {
  if (before.kind === 'foreign') {
    throw new TwinfoldError(
      'refused',
      `${path}: the service ${id} exists and was not written by Twinfold; remove it, choose another name with ` +
        '--name, or replace it with --force',
    )
  }
  if (before.kind === 'ours' && before.edited) {
    throw new TwinfoldError(
      'refused',
      `${path} was edited since "twinfold service install" wrote it; move the changes to a drop-in file ` +
        '("systemctl edit"), or discard them with --force',
    )
  }
}

/** Restores the previous definition after a failed attempt. The error of the attempt is reported. */
async function undo(ports: ServicePorts, plan: ServicePlan, before: InstalledDefinition): Promise<void> {
  if (plan.query !== undefined) return
  if (before.kind === 'ours') await writeDefinition(ports.disk, plan, before.content).catch(() => {})
  if (before.kind === 'none') await ports.disk.removeFile(plan.path).catch(() => {})
}

/** Stops and disables the service and removes its definition. False without one. */
export async function uninstallService(ports: ServicePorts, plan: ServicePlan): Promise<boolean> {
  const before = await findInstalled(ports, plan)
  if (before.kind === 'none') return false
  if (before.kind === 'foreign') {
    throw new TwinfoldError(
      'refused',
      `${plan.path}: the service ${plan.id} was not written by Twinfold and stays; remove it as it was installed`,
    )
  }
  await runAll(ports, plan.stop)
  if (plan.query === undefined) await ports.disk.removeFile(plan.path)
  await runAll(ports, plan.forget)
  return true
}

export interface ServiceStatus extends ServiceState {
  readonly installed: boolean
  /** Whether the definition is one of Twinfold's. */
  readonly ours: boolean
  readonly edited: boolean
  readonly node?: string
  readonly script?: string
  /** Of the program that the definition names, as it is on disk now. */
  readonly version?: string
  readonly problems: readonly string[]
}

export async function serviceStatus(ports: ServicePorts, plan: ServicePlan): Promise<ServiceStatus> {
  const found = await findInstalled(ports, plan)
  if (found.kind === 'none') {
    return {
      installed: false,
      ours: false,
      edited: false,
      enabled: false,
      running: false,
      problems: [],
    }
  }
  const state = plan.readState(await Promise.all(plan.inspect.map((call) => run(ports, call))))
  const base = { installed: true, ...state }
  if (found.kind === 'foreign') {
    return {
      ...base,
      ours: false,
      edited: false,
      problems: [`${plan.path} was not written by Twinfold`],
    }
  }
  const { node, script } = found.marker
  const version = isSingleFile({ node, script }) ? await printedVersion(ports, node) : await versionOf(ports, script)
  const problems = await problemsOf(ports, plan, state, { node, script })
  return {
    ...base,
    ours: true,
    edited: found.edited,
    node,
    script,
    ...(version !== undefined && { version }),
    problems,
  }
}

async function problemsOf(
  ports: ServicePorts,
  plan: ServicePlan,
  state: ServiceState,
  programs: { readonly node: string; readonly script: string },
): Promise<readonly string[]> {
  const problems: string[] = []
  for (const path of new Set(Object.values(programs))) {
    if (await isThere(ports, path)) continue
    problems.push(`${path} does not exist any more; run "twinfold service install" again with the present installation`)
  }
  if (!state.enabled) problems.push('it is not enabled; "twinfold service install" enables and starts it')
  if (!state.running) problems.push(`it does not run; "${plan.logHint}" shows why`)
  return problems
}

async function isThere({ disk }: ServicePorts, path: string): Promise<boolean> {
  try {
    await disk.stat(path)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    return true // it exists but is not readable
  }
}

/** What the executable prints. */
async function printedVersion(ports: ServicePorts, program: string): Promise<string | undefined> {
  const end = await run(ports, { program, args: ['--version'] })
  return end.kind === 'exited' && end.code === 0 ? /^\S+ v(\S+)/.exec(end.output)?.[1] : undefined
}

/** From the package that the entry script belongs to: an upgrade replaces it without a new definition. */
async function versionOf({ disk }: ServicePorts, script: string): Promise<string | undefined> {
  const directory = /^(.*)[\\/](?:src|dist)[\\/]main[\\/]bin\.[jt]s$/s.exec(script)?.[1]
  if (directory === undefined) return undefined
  try {
    const manifest: unknown = JSON.parse(await readText(disk, `${directory}/package.json`))
    const version = typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, 'version') : undefined
    return typeof version === 'string' ? version : undefined
  } catch {
    return undefined // the missing program is reported separately
  }
}
