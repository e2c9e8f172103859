import type { ServiceStatus } from './actions.ts'
import { callText } from './definition.ts'
import type { ServiceVerb } from './flags.ts'
import type { Call, ServiceFacts, ServicePlan } from './types.ts'

/** What `--print` shows: the definition and every program that would be run. */
export interface Preview {
  readonly write?: { readonly path: string; readonly content: string }
  readonly remove?: string
  readonly run: readonly (readonly string[])[]
}

export function preview(verb: ServiceVerb, plan: ServicePlan, more: readonly Call[]): Preview {
  const calls = {
    install: plan.install(true),
    uninstall: [...plan.stop, ...plan.forget],
    status: plan.inspect,
  }[verb]
  return {
    ...(verb === 'install' && { write: { path: plan.path, content: plan.content } }),
    ...(verb === 'uninstall' && plan.query === undefined && { remove: plan.path }),
    run: [...calls, ...more].map(({ program, args }) => [program, ...args]),
  }
}

export function previewText({ write, remove, run }: Preview): string {
  const parts: string[] = []
  if (write !== undefined) parts.push(`# would write ${oneLine(write.path)}:\n${write.content.trimEnd()}\n`)
  if (remove !== undefined) parts.push(`# would remove ${oneLine(remove)}, if Twinfold wrote it`)
  parts.push(`# would run:\n${run.map(([program, ...args]) => callText({ program: program!, args })).join('\n')}`)
  return parts.join('\n')
}

export function statusText(facts: ServiceFacts, plan: ServicePlan, status: ServiceStatus): string {
  const title = `${plan.id} (${facts.platform}, ${facts.scope})`
  if (!status.installed) return `${title}: not installed; "twinfold service install" does it`
  const process = status.processId === undefined ? '' : `, process ${status.processId}`
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['service', title],
    [
      'definition',
      `${oneLine(plan.query === undefined ? plan.path : plan.id)}${status.edited ? ', edited by hand' : ''}`,
    ],
    ['enabled', status.enabled ? 'yes' : 'no'],
    ['running', status.running ? `yes${process}` : `no${status.detail === undefined ? '' : `, ${status.detail}`}`],
    ['version', status.version],
    ['node', status.node === undefined ? undefined : oneLine(status.node)],
    ['program', status.script === undefined ? undefined : oneLine(status.script)],
    ...status.problems.map((problem) => ['problem', problem] as const),
  ]
  return rows
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name.padEnd(12)}${value}`)
    .join('\n')
}

/** A path with control characters is printed as JSON. */
function oneLine(path: string): string {
  return /[\x00-\x1f\x7f-\x9f]/.test(path) ? JSON.stringify(path) : path
}
