import type { LocalCall } from '../../cli/args/types.ts'
import { endpointText } from '../../client/endpoint.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { explainFailure, type Connection } from '../../cli/context.ts'
import { ClientError } from '../../client/errors.ts'
import { openBrowser } from '../browser.ts'
import { connectDaemon, findDaemon } from '../home/find-daemon.ts'
import { readDaemonChoice } from '../args/serve-options.ts'

export async function browserCommand({ program, flags, show }: LocalCall): Promise<void> {
  const { guiApiKey: _guiApiKey, ...choice } = readDaemonChoice(flags)
  const { endpoint } = await findDaemon(choice)
  await requireDaemon(program, await connectDaemon(choice))
  const url = `${endpointText(endpoint)}/`
  if (endpoint.socketPath !== undefined) {
    throw new TwinfoldError(
      'refused',
      `the GUI is at ${url}, which no browser can open; give it a host and port with --gui-address`,
    )
  }
  const opened = await openBrowser(url)
  show({ url, opened }, opened ? `Opening ${url}` : `No browser could be started. The GUI is at ${url}`)
}

/** A browser would show its own error page. */
async function requireDaemon(program: string, connection: Connection): Promise<void> {
  try {
    await connection.client.call('GET /rest/noauth/health')
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    throw new TwinfoldError('refused', explainFailure(error, program, connection).message, { cause: error })
  }
}
