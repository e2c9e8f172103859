import type { Command } from 'commander'
import { addCommand, collect, FINDING, type Run } from './command.ts'
import { deviceAdd, deviceList, devicePause, deviceRemove, type DeviceAddOptions } from './device-commands.ts'
import { pendingAccept, pendingIgnore, pendingList, type AcceptOptions } from './pending-commands.ts'

interface Json {
  readonly json?: boolean
}

/** A device id of the right form, for examples: the other end must be asked for its own. */
const EXAMPLE = 'MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWAD'

export function addDeviceCommands(program: Command, run: Run): void {
  const { context } = run
  const device = program.command('device').description('The devices this one shares folders with').helpCommand(false)
  device.addHelpText('after', `\nExample:\n  ${context.program} device add ${EXAMPLE} --name laptop\n${FINDING}`)
  addCommand(device, 'add <id>', 'Let a device connect, and share folders with it', [
    `add ${EXAMPLE} --name laptop --folder photos`,
    `add ${EXAMPLE} --address tcp://192.168.1.20:22000`,
  ])
    .option('--name <text>', 'name for people')
    .option('--address <url>', 'where it is, instead of looking for it; may be repeated', collect)
    .option('--folder <folder>', 'share this folder with it; may be repeated', collect)
    .option('--introducer', 'take over the devices it shares our folders with')
    .option('--auto-accept', 'take every folder it offers')
    .option('--paused', 'add it without connecting')
    .action((id: string, options: DeviceAddOptions) => run.with((client) => deviceAdd(context, client, id, options)))
  addCommand(device, 'list', 'Show all devices and whether they are connected', ['list', 'list --json']).action(
    (options: Json) => run.with((client) => deviceList(context, client, options)),
  )
  addCommand(device, 'remove <device>', 'Forget a device, by id or name; files stay on both sides', [
    'remove laptop',
  ]).action((text: string, options: Json) => run.with((client) => deviceRemove(context, client, text, options)))
  for (const paused of [true, false]) {
    const [word, meaning] = paused ? ['pause', 'Disconnect a device for a while'] : ['resume', 'Connect to it again']
    addCommand(device, `${word} <device>`, `${meaning}, by id or name`, [`${word} laptop`]).action(
      (text: string, options: Json) => run.with((client) => devicePause(context, client, text, { ...options, paused })),
    )
  }
}

export function addPendingCommands(program: Command, run: Run): void {
  const { context } = run
  const pending = addCommand(program, 'pending', 'Show devices and folders that wait for an answer', [
    'pending',
    'pending accept docs --path ~/Documents',
  ])
    .helpCommand(false)
    .action((options: Json) => run.with((client) => pendingList(context, client, options)))
  addCommand(pending, 'accept <id>', 'Let a device in, or take a folder', [
    `accept ${EXAMPLE} --name laptop`,
    'accept docs --path ~/Documents',
  ])
    .option('--path <dir>', 'where the files of the folder shall be')
    .option('--name <text>', 'name for people, instead of the one that was offered')
    .action((id: string, options: AcceptOptions) =>
      run.with((client) => pendingAccept(context, client, id, { ...pending.opts<Json>(), ...options })),
    )
  addCommand(pending, 'ignore <id>', 'Never hear of a device or a folder again', ['ignore docs']).action(
    (id: string, options: Json) =>
      run.with((client) => pendingIgnore(context, client, id, { ...pending.opts<Json>(), ...options })),
  )
}
