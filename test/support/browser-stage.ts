import { join } from 'node:path'
import { after, before } from 'node:test'
import { Chromium, missingBrowser } from './browser.ts'
import { startDaemon, type Daemon, type DaemonOptions } from './daemon.ts'
import { scratchDirectory } from './scratch.ts'

/** One device and one browser for all tests of a file. They are there while tests run, and end with the file. */
export interface BrowserStage {
  /** Why there is no browser, for the option `skip` of each test. */
  readonly skip: string | false
  /** A directory of the file's own. */
  readonly directory: string
  readonly daemon: Daemon
  readonly browser: Chromium
}

export interface StageOptions {
  readonly daemon?: () => Promise<Partial<DaemonOptions>>
  /** Puts the device into the state in which the tests find it. */
  prepare?(daemon: Daemon, directory: string): Promise<void>
}

/** To be called once, where the file begins. */
export function browserStage(options: StageOptions = {}): BrowserStage {
  const skip = missingBrowser() ?? false
  const scratch = scratchDirectory()
  const directory = scratch.path
  let daemon: Daemon | undefined
  let browser: Chromium | undefined
  before(async () => {
    if (skip !== false) return
    daemon = await startDaemon({ home: join(directory, 'home'), ...(await options.daemon?.()) })
    await options.prepare?.(daemon, directory)
    browser = await Chromium.start()
  })
  after(async () => {
    await browser?.[Symbol.asyncDispose]()
    await daemon?.[Symbol.asyncDispose]()
    scratch[Symbol.dispose]()
  })
  return {
    skip,
    directory,
    get daemon() {
      return there(daemon)
    },
    get browser() {
      return there(browser)
    },
  }
}

function there<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the stage is set when the first test begins')
  return part
}
