import { minutesOf } from '../core/schedule/rule.ts'
import { withoutUndefined } from './args/parsed-flags.ts'
import { FINDING_FLAGS } from './args/shared-flags.ts'
import type { FlagSpec } from './args/flag-spec.ts'
import type { CommandSpec } from './args/types.ts'
import { givenSwitch } from './change-specs.ts'
import { remoteCommand } from './remote-command.ts'

const checkTime = (text: string): string | undefined =>
  minutesOf(text) === undefined ? 'use a time such as 22:00' : undefined
const checkRate = (text: string): string | undefined =>
  /^\d{1,9}$/.test(text) ? undefined : 'use a whole number of KiB/s; 0 is unlimited'

const ADD_FLAGS: readonly FlagSpec[] = [
  { name: 'from', value: 'TIME', check: checkTime, description: 'When it begins, in local time of the device' },
  { name: 'to', value: 'TIME', check: checkTime, description: 'When it ends; on the next day if that is not later' },
  { name: 'days', value: 'DAYS', description: 'On which it begins: mon,tue,wed,thu,fri,sat,sun (default: every day)' },
  { name: 'folder', value: 'FOLDER', completes: 'folders', description: 'Only this folder (default: all)' },
  { name: 'device', value: 'DEVICE', completes: 'devices', description: 'Only this device (default: all)' },
  { name: 'pause', description: 'Pause it, or all folders' },
  { name: 'send', value: 'KIB', check: checkRate, description: 'Send at most this many KiB/s; 0 is unlimited' },
  { name: 'receive', value: 'KIB', check: checkRate, description: 'Receive at most this many KiB/s; 0 is unlimited' },
]

export const SCHEDULE: CommandSpec = {
  name: 'schedule',
  group: 'sharing',
  summary: 'pause and limit at times of the week, or under conditions',
  flags: FINDING_FLAGS,
  examples: [
    'schedule add night --from 22:00 --to 06:00 --pause --folder photos',
    'schedule add work --from 08:00 --to 18:00 --days mon,tue,wed,thu,fri --send 200 --receive 1000',
    'schedule list',
    'schedule remove night',
  ],
  commands: [
    remoteCommand({
      name: 'add',
      summary: 'add a weekly rule, or replace the one of its name',
      description:
        'Adds a weekly rule: a pause or limits between two local times. The settings themselves do not change; what ' +
        'a rule pauses can be resumed by hand until the rule ends.',
      arguments: [{ name: 'name' }],
      flags: ADD_FLAGS,
      examples: [
        'schedule add night --from 22:00 --to 06:00 --pause --folder photos',
        'schedule add work --from 08:00 --to 18:00 --days mon,tue,wed,thu,fri --send 200 --receive 1000',
      ],
      remote: async ({ context, connection: { client }, args: [name = ''], flags }) => {
        const { addRule } = await import('./schedule-commands.ts')
        const text = (flag: string) => flags.text(flag)
        const given = withoutUndefined({
          from: text('from'),
          to: text('to'),
          days: text('days'),
          folder: text('folder'),
          device: text('device'),
          send: flags.number('send'),
          receive: flags.number('receive'),
        })
        return addRule(context, client, name, { ...given, pause: flags.isOn('pause'), json: flags.isOn('json') })
      },
    }),
    remoteCommand({
      name: 'list',
      summary: 'list the rules, what they do now, and the conditions',
      examples: ['schedule list', 'schedule list --json'],
      remote: async ({ context, connection: { client }, flags }) =>
        (await import('./schedule-commands.ts')).listRules(context, client, { json: flags.isOn('json') }),
    }),
    remoteCommand({
      name: 'remove',
      summary: 'remove a rule; what it does ends at once',
      arguments: [{ name: 'name' }],
      examples: ['schedule remove night'],
      remote: async ({ context, connection: { client }, args: [name = ''], flags }) =>
        (await import('./schedule-commands.ts')).removeRule(context, client, name, { json: flags.isOn('json') }),
    }),
    remoteCommand({
      name: 'set',
      summary: 'what happens on a metered connection, and whether the machine may sleep',
      flags: [
        {
          name: 'metered-local-only',
          onOff: true,
          description: 'On a metered connection only connect devices at local addresses (needs NetworkManager)',
        },
        { name: 'keep-awake', onOff: true, description: 'No sleep while bytes are transferred (needs systemd)' },
      ],
      examples: ['schedule set --metered-local-only on', 'schedule set --keep-awake on'],
      remote: async ({ context, connection: { client }, flags }) =>
        (await import('./schedule-commands.ts')).setConditions(context, client, {
          ...withoutUndefined({
            meteredLocalOnly: givenSwitch(flags, 'metered-local-only'),
            inhibitSleep: givenSwitch(flags, 'keep-awake'),
          }),
          json: flags.isOn('json'),
        }),
    }),
  ],
}
