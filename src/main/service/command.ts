import { installService, serviceStatus, uninstallService } from './actions.ts'
import { run, runAll } from './definition.ts'
import type { ServiceRequest } from './flags.ts'
import { gatherFacts, type ServiceMachine } from './machine.ts'
import { planService } from './plan.ts'
import { preview, previewText, statusText } from './report.ts'
import type { Call, ServiceFacts, ServicePlan } from './types.ts'

/** The exit codes of `systemctl status`. */
const EXIT = { ok: 0, notRunning: 3, notInstalled: 4 } as const

export interface ServiceOutput {
  print(text: string): void
  printError(text: string): void
}

/** Runs `service` as requested. Resolves to the exit code; throws errors that the user can fix. */
export async function runService(
  machine: ServiceMachine,
  request: ServiceRequest,
  output: ServiceOutput,
): Promise<number> {
  const warn = (text: string) => output.printError(`WARNING: ${text}`)
  request.warnings.forEach(warn)
  const facts = await gatherFacts(machine, request, warn)
  const plan = planService(facts)
  const show = (value: object, text: string) => output.print(request.json ? JSON.stringify(value, undefined, 2) : text)
  if (request.print) {
    const shown = preview(request.verb, plan, request.linger ? [lingerCall(facts)] : [])
    show(shown, previewText(shown))
    return EXIT.ok
  }
  switch (request.verb) {
    case 'install':
      return install(machine, request, facts, plan, show)
    case 'uninstall':
      return uninstall(machine, plan, show)
    case 'status':
      return status(machine, facts, plan, show)
  }
}

type Show = (value: object, text: string) => void

async function install(
  machine: ServiceMachine,
  request: ServiceRequest,
  facts: ServiceFacts,
  plan: ServicePlan,
  show: Show,
): Promise<number> {
  const { changed } = await installService(machine, plan, request.force)
  if (request.linger) await runAll(machine, [lingerCall(facts)])
  const lingers = facts.platform === 'systemd' && facts.scope === 'user' ? await isLingering(machine, facts) : undefined
  const done = changed ? 'installed, enabled and started' : 'was installed before; enabled and started'
  const lines = [`${plan.id}: ${done}`, `Definition: ${plan.query === undefined ? plan.path : plan.id}`]
  if (lingers === false) {
    lines.push('It runs while you are logged in. "loginctl enable-linger", or --linger here, keeps it running.')
  }
  lines.push(`Log: ${plan.logHint}`)
  const result = {
    id: plan.id,
    path: plan.path,
    changed,
    ...(lingers !== undefined && { lingers }),
  }
  show(result, lines.join('\n'))
  return EXIT.ok
}

async function uninstall(machine: ServiceMachine, plan: ServicePlan, show: Show): Promise<number> {
  const removed = await uninstallService(machine, plan)
  const text = removed ? 'stopped, disabled and removed; home and folders stay' : 'not installed, nothing to do'
  show({ id: plan.id, path: plan.path, removed }, `${plan.id}: ${text}`)
  return EXIT.ok
}

async function status(machine: ServiceMachine, facts: ServiceFacts, plan: ServicePlan, show: Show): Promise<number> {
  const found = await serviceStatus(machine, plan)
  const { platform, scope } = facts
  show({ id: plan.id, platform, scope, path: plan.path, ...found }, statusText(facts, plan, found))
  if (!found.installed) return EXIT.notInstalled
  return found.running ? EXIT.ok : EXIT.notRunning
}

function lingerCall({ user }: ServiceFacts): Call {
  return { program: 'loginctl', args: ['enable-linger', user] }
}

async function isLingering(machine: ServiceMachine, { user }: ServiceFacts): Promise<boolean> {
  const end = await run(machine, {
    program: 'loginctl',
    args: ['show-user', user, '--property=Linger'],
  })
  return end.kind === 'exited' && end.output.includes('Linger=yes')
}
