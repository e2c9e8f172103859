/**
 * The entry point of the container image: the program with three differences. It becomes the user of `PUID` and `PGID`.
 * `health` checks the daemon of this container, and `serve` does not start with a page that is open to the network
 * without a password, also not on a home that exists, unless `--allow-open-gui` accepts it.
 */
import { messageOf, TwinfoldError } from '../core/errors.ts'
import { FINDING_FLAGS } from '../cli/args/shared-flags.ts'
import { takeFlags } from '../cli/args/canonical.ts'
import { ParsedFlags } from '../cli/args/parsed-flags.ts'
import { becomeUser, containerHome, foreignMounts, readContainerUser, unknownTimeZone } from './container-user.ts'
import { plainServeFlags, readDaemonChoice, readServeRequest } from './args/serve-options.ts'

const HEALTH_MS_MAX = 5_000

const args = process.argv.slice(2)
try {
  const home = containerHome(process.env)
  process.env['STHOMEDIR'] = home
  const notes = becomeUser(process.env, readContainerUser(process.env), home)
  if (args[0] === 'serve') {
    const lines = [...notes, ...unknownTimeZone(process.env), ...foreignMounts(process.getuid?.() ?? 0)]
    for (const line of lines) process.stderr.write(`twinfold: ${line}\n`)
  }
  if (args[0] === 'health') await checkHealth()
  else {
    await checkPage()
    await import('./bin.ts')
  }
} catch (error) {
  if (!(error instanceof TwinfoldError)) throw error
  process.stderr.write(`twinfold: error: ${error.message}\n`)
  process.exitCode = 1
}

async function checkHealth(): Promise<void> {
  const { findDaemon } = await import('./home/find-daemon.ts')
  const { nodeTransport } = await import('../client/node.ts')
  const signal = AbortSignal.timeout(HEALTH_MS_MAX)
  try {
    const { flags } = takeFlags(FINDING_FLAGS, args.slice(1))
    const given = new ParsedFlags(new Map(flags.map(({ name, value }) => [name, [value]])))
    const { endpoint, trust } = await findDaemon(readDaemonChoice(given.completed(FINDING_FLAGS, process.env)))
    const send = nodeTransport(endpoint, { trust })
    const reply = await send({ method: 'GET', path: '/rest/noauth/health', headers: {}, signal })
    if (reply.status !== 200) throw new Error(`status ${reply.status}`)
  } catch (error) {
    throw new TwinfoldError('refused', `unhealthy: ${messageOf(error)}`)
  }
}

async function checkPage(): Promise<void> {
  const flags = plainServeFlags(args, process.env)
  if (flags === undefined) return // another command, or an error that the program reports
  const { directories, options } = readServeRequest(flags, process.env)
  const [{ readGuiIfThere }, { refuseOpenPage }] = await Promise.all([
    import('./home/find-daemon.ts'),
    import('./home/open-page.ts'),
  ])
  if (!options.openGuiAllowed) refuseOpenPage(await readGuiIfThere(directories), options.guiAddress)
}
