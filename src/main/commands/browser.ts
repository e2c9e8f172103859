import type { LocalCall } from '../../cli/args/types.ts'
import { endpointText } from '../../client/endpoint.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { openBrowser } from '../browser.ts'
import { findDaemon } from '../home/find-daemon.ts'
import { readDaemonChoice } from '../args/serve-options.ts'

export async function browserCommand({ flags, show }: LocalCall): Promise<void> {
  const { guiApiKey: _guiApiKey, ...choice } = readDaemonChoice(flags)
  const { endpoint } = await findDaemon(choice)
  const url = `${endpointText(endpoint)}/`
  if (endpoint.socketPath !== undefined) {
    throw new TwinfoldError(
      'bad-request',
      `the GUI is at ${url}, which no browser can open; give it a host and port with --gui-address`,
    )
  }
  const opened = await openBrowser(url)
  show({ url, opened }, opened ? `Opening ${url}` : `No browser could be started. The GUI is at ${url}`)
}
