import type { LocalCall } from '../../cli/args/types.ts'
import { demo } from '../demo/demo-command.ts'
import { readDemoOptions } from '../args/demo-flags.ts'

export async function demoCommand({ program, flags, print, printError }: LocalCall): Promise<never> {
  const options = readDemoOptions(flags)
  // Devices keep running when the output is closed, as with "serve".
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  const code = await demo(options, { print, printError: (text) => printError(`${program}: ${text}`) })
  // Threads and sockets that did not end in time must not keep the process.
  process.exit(code)
}
