import type { CommandSpec } from './args/types.ts'
import { remoteCommand } from './remote-command.ts'

/** Of commands that show what they will do, and ask. */
export const YES_FLAG = { name: 'yes', description: 'Do it without showing what happens and asking' } as const

export const PLAN: CommandSpec = remoteCommand({
  name: 'plan',
  group: 'sharing',
  summary: 'show what an action would do to files, here and on other devices',
  description:
    'Shows what an action would do, and changes nothing: how many items are fetched, replaced, deleted or kept ' +
    'as conflict copies, here and on other devices. ACTION is resume (default; what is pulled next), override, ' +
    'revert, remove (of the folder), type:TYPE, share:DEVICE, unshare:DEVICE or rewind:TIME. Counts are exact ' +
    'for what the last scan and the other devices have reported.',
  arguments: [
    { name: 'folder', completes: 'folders' },
    { name: 'action', optional: true },
  ],
  flags: [{ name: 'ignores', value: 'FILE', description: 'Plan these ignore patterns, "-" for the input' }],
  examples: [
    'plan photos',
    'plan photos revert',
    'plan photos type:sendonly',
    'plan photos --ignores new-patterns.txt',
  ],
  remote: async ({ context, connection: { client }, args: [folder = '', action = 'resume'], flags }) =>
    (await import('./plan-command.ts')).showPlan(context, client, folder, action, {
      json: flags.isOn('json'),
      ignores: flags.text('ignores'),
    }),
})
