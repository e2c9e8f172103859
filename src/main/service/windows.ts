import { TwinfoldError } from '../../core/errors.ts'
import { element, printXml, textElement, type XmlElement } from '../../core/config/xml-tree.ts'
import type { ProgramEnd } from '../../platform/programs.ts'
import { markerLine } from './marker.ts'
import { programWords } from './program.ts'
import type { Call, ServiceFacts, ServicePlan, ServiceState } from './types.ts'
import { checkedXmlText } from './xml.ts'

const NAMESPACE = 'http://schemas.microsoft.com/windows/2004/02/mit/task'
/** SCHED_S_TASK_RUNNING: the one column of the verbose list that is the same in every language. */
const RUNNING_CODE = '267009'

export function windowsPlan(facts: ServiceFacts): ServicePlan {
  const { name } = facts
  const control = (...args: string[]): Call => ({ program: 'schtasks.exe', args })
  const path = `${facts.temporaryDirectory}\\${name}-task.xml`
  const end = { ...control('/End', '/TN', name), optional: true }
  return {
    id: name,
    path,
    content: taskText(facts),
    encoding: 'utf16le',
    query: control('/Query', '/TN', name, '/XML'),
    install: () => [end, control('/Create', '/TN', name, '/XML', path, '/F'), control('/Run', '/TN', name)],
    stop: [end],
    forget: [control('/Delete', '/TN', name, '/F')],
    inspect: [control('/Query', '/TN', name, '/XML'), control('/Query', '/TN', name, '/FO', 'CSV', '/V', '/NH')],
    readState,
    logHint: 'twinfold logs',
  }
}

function taskText(facts: ServiceFacts): string {
  const task = (registration: readonly XmlElement[]) =>
    printXml(
      element(
        'Task',
        [
          ['version', '1.3'],
          ['xmlns', NAMESPACE],
        ],
        [
          element('RegistrationInfo', [], registration),
          element('Triggers', [], [trigger(facts)]),
          element('Principals', [], [principal(facts)]),
          element('Settings', [], settings()),
          element('Actions', [['Context', 'Author']], [action(facts)]),
        ],
      ),
    )
  const description = textElement('Description', 'Twinfold, continuous file synchronization')
  const marker = textElement('Source', 'MARKER')
  const line = markerLine(facts, task([description]))
  // The marker is not escaped: escaped quotes would be read back differently.
  return `<?xml version="1.0" encoding="UTF-16"?>\n${task([marker, description]).replace('MARKER', () => line)}`
}

function trigger({ scope, user }: ServiceFacts): XmlElement {
  if (scope === 'system') return element('BootTrigger', [], [textElement('Enabled', 'true')])
  return element('LogonTrigger', [], [textElement('Enabled', 'true'), textElement('UserId', checkedXmlText(user))])
}

/** At boot no user is logged in: S4U runs as the user without a stored password, and without network shares. */
function principal({ scope, user }: ServiceFacts): XmlElement {
  return element(
    'Principal',
    [['id', 'Author']],
    [
      textElement('UserId', checkedXmlText(user)),
      textElement('LogonType', scope === 'system' ? 'S4U' : 'InteractiveToken'),
      textElement('RunLevel', 'LeastPrivilege'),
    ],
  )
}

function settings(): readonly XmlElement[] {
  return [
    textElement('MultipleInstancesPolicy', 'IgnoreNew'),
    textElement('DisallowStartIfOnBatteries', 'false'),
    textElement('StopIfGoingOnBatteries', 'false'),
    textElement('StartWhenAvailable', 'true'),
    textElement('ExecutionTimeLimit', 'PT0S'),
    element('RestartOnFailure', [], [textElement('Interval', 'PT1M'), textElement('Count', '255')]),
  ]
}

/**
 * `conhost --headless` keeps the console of Node from opening a window. Without --no-restart: the scheduler ignores
 * exit codes, so the daemon restarts itself.
 */
function action(facts: ServiceFacts): XmlElement {
  const args = [...programWords(facts), 'serve', '--no-browser', ...facts.serveFlags]
  args.forEach(refuseVariable)
  return element(
    'Exec',
    [],
    [
      textElement('Command', '%SystemRoot%\\System32\\conhost.exe'),
      textElement('Arguments', checkedXmlText(['--headless', ...args.map(windowsQuoted)].join(' '))),
    ],
  )
}

/** The scheduler replaces variables in arguments and has no escape for them. */
function refuseVariable(arg: string): void {
  if (!/%[^%]+%|\$\(/.test(arg)) return
  throw new TwinfoldError(
    'refused',
    `the Windows Task Scheduler would replace a variable in ${JSON.stringify(arg)}; use another path`,
  )
}

/** One argument, quoted for the C runtime of Windows: backslashes are special only before a quote. */
export function windowsQuoted(arg: string): string {
  if (arg !== '' && !/[\s"]/.test(arg)) return arg
  return `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`
}

function readState([definition, list]: readonly ProgramEnd[]): ServiceState {
  const xml = definition?.kind === 'exited' ? definition.output : ''
  const rows = list?.kind === 'exited' ? list.output : ''
  const running = rows.split(/["\r\n,]+/).includes(RUNNING_CODE)
  const switchedOff = /<Settings>.*<Enabled>false<\/Enabled>.*<\/Settings>/s.test(xml)
  return {
    enabled: xml !== '' && !switchedOff,
    running,
    ...(!running && { detail: 'not running' }),
  }
}
