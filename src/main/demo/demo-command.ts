import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import { createNodePlatform } from '../../platform/node/platform.ts'
import { openBrowser } from '../browser.ts'
import { runDemo, type DemoPage } from './demo.ts'
import type { DemoOptions } from '../args/demo-flags.ts'
import { EXIT, type ExitCode } from '../args/options.ts'

/** Windows: Ctrl+C, never, the console was closed, Ctrl+Break. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const
/** Work that has not ended by then is abandoned; its files are removed all the same. */
const STOP_MS_MAX = 10_000

export interface DemoTerminal {
  print(text: string): void
  printError(text: string): void
}

/** Runs the demonstration in a temporary directory, which is removed at every end of the process except a kill. */
export async function demo(options: DemoOptions, terminal: DemoTerminal): Promise<ExitCode> {
  const stop = new AbortController()
  const interrupt = () => {
    if (stop.signal.aborted) process.exit(EXIT.error)
    stop.abort()
  }
  for (const name of SIGNALS) process.on(name, interrupt)
  const directory = mkdtempSync(join(tmpdir(), 'twinfold-demo-'))
  const clear = () => removeTree(directory, terminal)
  process.on('exit', clear)
  const ended = new AbortController()
  try {
    await using platform = createNodePlatform()
    stop.signal.addEventListener(
      'abort',
      () => {
        platform.clock.sleep(STOP_MS_MAX, ended.signal).then(
          () => process.exit(EXIT.error),
          () => {},
        ) // it ended in time
      },
      { once: true },
    )
    const onReady = (pages: readonly DemoPage[]) => {
      terminal.print(introduction(directory, pages))
      // A convenience: the address is printed anyway.
      if (options.openBrowser) openBrowser(pages[0]!.url).catch(() => {})
    }
    await runDemo({ platform, directory, onReady }, options.port, stop.signal)
  } catch (error) {
    if (!stop.signal.aborted) throw error // an error after a stop during the start is not reported
  } finally {
    ended.abort()
    clear()
    process.off('exit', clear)
    for (const name of SIGNALS) process.off(name, interrupt)
  }
  return EXIT.success
}

function introduction(directory: string, pages: readonly DemoPage[]): string {
  const lines = pages.map(
    ({ name, url }, index) => `  ${name.padEnd(8)} ${url}${index === 0 ? '   <- start here' : ''}`,
  )
  return `A demonstration: three devices in one process, which connect to each other and to no other host.
"Laptop" and "Desk" share photos and documents, "Phone" is pending. Their files are in
${directory}: change them and watch the page.

${lines.join('\n')}

Ctrl+C ends it, nothing stays behind.`
}

function removeTree(directory: string, { printError }: DemoTerminal): void {
  try {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  } catch (error) {
    printError(`${directory} could not be removed, please do: ${messageOf(error)}`)
  }
}
