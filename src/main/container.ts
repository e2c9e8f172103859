/**
 * What the container image runs: the program itself, with two differences. `health` asks the daemon of this container
 * whether it is well, and `serve` does not start with a page that is open to the network without a password.
 */
import { messageOf, TwinfoldError } from '../core/errors.ts'
import { splitCommandLine, takeDaemonChoice } from './command-line.ts'
import { parseServeWords } from './serve-options.ts'

const HEALTH_MS_MAX = 5_000

const words = process.argv.slice(2)
try {
  if (words[0] === 'health') await checkHealth()
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
  const { findDaemon } = await import('./find-daemon.ts')
  const { nodeTransport } = await import('../client/node.ts')
  const signal = AbortSignal.timeout(HEALTH_MS_MAX)
  try {
    const { endpoint, trust } = await findDaemon(takeDaemonChoice(words.slice(1), process.env).choice)
    const reply = await nodeTransport(endpoint, { trust })({ method: 'GET', path: '/rest/noauth/health', headers: {}, signal })
    if (reply.status !== 200) throw new Error(`status ${reply.status}`)
  } catch (error) {
    throw new TwinfoldError('bad-request', `unhealthy: ${messageOf(error)}`)
  }
}

async function checkPage(): Promise<void> {
  const line = splitCommandLine(words)
  if (line.kind !== 'local' || line.command !== 'serve') return
  const parsed = parseServeWords(line.words, process.env)
  if (parsed.kind !== 'serve') return
  const [{ readGuiIfThere }, { refuseOpenPage }] = await Promise.all([
    import('./find-daemon.ts'),
    import('./open-page.ts'),
  ])
  refuseOpenPage(await readGuiIfThere(parsed.request.directories), parsed.request.options.guiAddress)
}
