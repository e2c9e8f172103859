import { posix } from 'node:path'
import { element, printXml, textElement, type XmlElement } from '../../core/config/xml-tree.ts'
import type { ProgramEnd } from '../../platform/programs.ts'
import { markerLine } from './marker.ts'
import { programWords } from './program.ts'
import type { Call, ServiceFacts, ServicePlan, ServiceState } from './types.ts'
import { checkedXmlText } from './xml.ts'

const STOP_S = 20
const RESTART_S = 10

/** A property list: the few types that a job needs. */
type Property = string | number | boolean | readonly string[] | { readonly [key: string]: Property }

export function launchdPlan(facts: ServiceFacts): ServicePlan {
  const id = `net.twinfold.${facts.name}`
  const domain = facts.scope === 'system' ? 'system' : `gui/${facts.userId}`
  const control = (...args: string[]): Call => ({ program: 'launchctl', args })
  const path = posix.join(
    facts.scope === 'system' ? '/Library/LaunchDaemons' : posix.join(facts.userHome, 'Library', 'LaunchAgents'),
    `${id}.plist`,
  )
  const bootOut = { ...control('bootout', `${domain}/${id}`), optional: true }
  const bootstrap = control('bootstrap', domain, path)
  const enable = control('enable', `${domain}/${id}`)
  return {
    id,
    path,
    content: propertyListText(facts, id),
    encoding: 'utf8',
    // launchd refuses to load a loaded job again, which is correct for an unchanged one.
    install: (changed) => (changed ? [bootOut, enable, bootstrap] : [enable, { ...bootstrap, optional: true }]),
    stop: [bootOut],
    forget: [],
    inspect: [control('print', `${domain}/${id}`), control('print-disabled', domain)],
    readState: (ends) => readState(id, ends),
    logHint: `tail -f ${JSON.stringify(errorFile(facts))}`,
  }
}

/** Messages from before the log is open; the log itself is in the data directory, where it is rotated. */
function errorFile({ scope, name, userHome }: ServiceFacts): string {
  return scope === 'system' ? `/Library/Logs/${name}.log` : posix.join(userHome, 'Library', 'Logs', `${name}.log`)
}

function propertyListText(facts: ServiceFacts, id: string): string {
  const logFlag = facts.serveFlags.some((arg) => arg.startsWith('--log-file=')) ? [] : ['--log-file=default']
  const args = [...programWords(facts), 'serve', '--no-browser', '--no-restart', ...logFlag, ...facts.serveFlags]
  const job: Property = {
    Label: id,
    ProgramArguments: args,
    RunAtLoad: true,
    // Exit code 3 requests a restart; 0 is a requested stop.
    KeepAlive: { SuccessfulExit: false },
    ThrottleInterval: RESTART_S,
    ExitTimeOut: STOP_S,
    ProcessType: 'Standard',
    StandardErrorPath: errorFile(facts),
    ...(facts.scope === 'system' && { UserName: facts.user }),
  }
  const root = printXml(element('plist', [['version', '1.0']], [propertyElement(job)]))
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'
  const type =
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n'
  const body = root.replaceAll('<true></true>', '<true/>').replaceAll('<false></false>', '<false/>')
  return `${declaration}${type}<!-- ${markerLine(facts, declaration + type + body)} -->\n${body}`
}

function propertyElement(value: Property): XmlElement {
  if (typeof value === 'string') return textElement('string', checkedXmlText(value))
  if (typeof value === 'number') return textElement('integer', String(value))
  if (typeof value === 'boolean') return element(value ? 'true' : 'false')
  if (isList(value)) return element('array', [], value.map(propertyElement))
  return element(
    'dict',
    [],
    Object.entries(value).flatMap(([key, child]) => [textElement('key', key), propertyElement(child)]),
  )
}

function isList(value: Property): value is readonly string[] {
  return Array.isArray(value)
}

function readState(id: string, [job, disabled]: readonly ProgramEnd[]): ServiceState {
  const printed = job?.kind === 'exited' && job.code === 0 ? job.output : ''
  const processId = /^\s*pid = (\d+)/m.exec(printed)?.[1]
  const running = /^\s*state = running/m.test(printed)
  const lastCode = /^\s*last exit code = (.+)$/m.exec(printed)?.[1]
  const list = disabled?.kind === 'exited' ? disabled.output : ''
  const isDisabled = list.split('\n').some((line) => line.includes(`"${id}"`) && /=> (disabled|true)/.test(line))
  return {
    enabled: !isDisabled,
    running,
    ...(running && processId !== undefined && { processId: Number(processId) }),
    ...(!running && {
      detail: printed === '' ? 'not loaded' : `loaded, last exit code ${lastCode ?? 'unknown'}`,
    }),
  }
}
