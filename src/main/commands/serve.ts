import { existsSync } from 'node:fs'
import type { LocalCall } from '../../cli/args/types.ts'
import type { Clock } from '../../platform/clock.ts'
import { createNodePlatform } from '../../platform/node/platform.ts'
import { runDaemon } from '../daemon.ts'
import type { Locations } from '../../core/locations.ts'
import { locateHome } from '../home/home.ts'
import { refuseOpenNewHome } from '../home/open-page.ts'
import type { ExitCode } from '../args/options.ts'
import { readServeRequest, type ServeRequest } from '../args/serve-options.ts'
import { serve } from '../serve.ts'

type ServeCall = Pick<LocalCall, 'program' | 'flags' | 'environment' | 'printError'>

export async function serveCommand({ program, flags, environment, printError }: ServeCall): Promise<never> {
  const request = readServeRequest(flags, environment)
  // The log continues in memory and in its file when the output is closed.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  // Without a listener Node opens a debugger port, through which any local user could control the daemon.
  process.on('SIGUSR1', () => {})
  const code = await runServe(request, (text) => printError(`${program}: ${text}`))
  // Threads and sockets that did not end in time must not keep the process.
  process.exit(code)
}

async function runServe(request: ServeRequest, printError: (text: string) => void): Promise<ExitCode> {
  const options = { ...request.options, locations: locateHome(request.directories, request) }
  if (!options.openGuiAllowed && isNew(options.locations)) refuseOpenNewHome(options.guiAddress)
  await using platform = createNodePlatform()
  const onSignal = (name: NodeJS.Signals, listener: () => void) => {
    process.on(name, listener)
    return { [Symbol.dispose]: () => void process.off(name, listener) }
  }
  const ourProcess = { onSignal, leave: (code: ExitCode) => process.exit(code), printError }
  const deps = {
    clock: platform.clock,
    process: ourProcess,
    platform: platform.system.platform,
    runDaemon: runDaemon.bind(undefined, platform),
  }
  const ended = new AbortController()
  if (options.openBrowser) openBrowserOnceReady(request, platform.clock, ended.signal).catch(() => {}) // a convenience
  try {
    return await serve(deps, options, request.restarts) // awaited here: the platform must not be closed before it ends
  } finally {
    ended.abort()
  }
}

function isNew({ configFile, keyFile }: Locations): boolean {
  return !existsSync(configFile) && !existsSync(keyFile)
}

const READY_POLL_MS = 200
const READY_POLLS_MAX = 150

/** A convenience: failures here must not affect the daemon, whose log has the address of the GUI. */
async function openBrowserOnceReady(request: ServeRequest, clock: Clock, signal: AbortSignal): Promise<void> {
  const [{ connectDaemon }, { openBrowser }] = await Promise.all([
    import('../home/find-daemon.ts'),
    import('../browser.ts'),
  ])
  const { directories, options } = request
  const choice = { directories, ...(options.guiAddress !== undefined && { guiAddress: options.guiAddress }) }
  for (let poll = 0; poll < READY_POLLS_MAX && !signal.aborted; poll++) {
    try {
      const { client, address } = await connectDaemon(choice)
      await client.ping()
      return void (await openBrowser(`${address}/`))
    } catch {
      await clock.sleep(READY_POLL_MS, signal).catch(() => {}) // not ready yet; the loop ends with the signal
    }
  }
}
