import { withoutUndefined } from '../../cli/args/parsed-flags.ts'
import type { LocalCall } from '../../cli/args/types.ts'
import { locateHome } from '../home/home.ts'
import { deviceId, generate, pathSections, pathsText, resetDatabase } from '../home/local-commands.ts'
import { readDirectories } from '../args/serve-options.ts'

export async function pathsCommand({ flags, show }: LocalCall): Promise<void> {
  const locations = locateHome(readDirectories(flags))
  const sections = Object.fromEntries(pathSections(locations).map(([title, ...paths]) => [title, paths]))
  show(sections, pathsText(locations).trimEnd())
}

export async function deviceIdCommand({ flags, show }: LocalCall): Promise<void> {
  const id = await deviceId(readDirectories(flags))
  show({ deviceID: id }, id)
}

export async function generateCommand({ flags, show, printError }: LocalCall): Promise<void> {
  const options = {
    directories: readDirectories(flags),
    portProbing: !flags.isOn('no-port-probing'),
    ...withoutUndefined({ guiUser: flags.text('gui-user'), guiPassword: flags.text('gui-password') }),
  }
  const id = await generate(options, printError)
  show({ deviceID: id }, `Device ID: ${id}`)
}

export async function resetDatabaseCommand({ flags, show }: LocalCall): Promise<void> {
  const path = await resetDatabase(readDirectories(flags))
  show({ removed: path }, `Removed the index in ${path}; the next start scans everything again`)
}
