import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BidiConnection } from './bidi.ts'
import { missingProgram } from './debian.ts'
import { DrivenPage, type PageDriver } from './driven-page.ts'
import { freePort } from './free-port.ts'
import { killOnExit } from './kill-on-exit.ts'
import { eventually } from './scratch.ts'

const PROGRAM = 'firefox-esr'
const START_MS_MAX = 120_000

/** No business of the browser's own, and no way out of this machine. */
const PREFERENCES: Readonly<Record<string, string | number | boolean>> = {
  'app.normandy.enabled': false,
  'app.update.disabledForTesting': true,
  'browser.aboutwelcome.enabled': false,
  'browser.safebrowsing.downloads.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.update.enabled': false,
  'intl.accept_languages': 'en-GB',
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,#remote-settings-dummy/v1',
  'toolkit.telemetry.server': '',
}

/** What is missing for tests with Firefox here, or undefined. Installs Debian's where we may; throws under CI=true. */
export function missingFirefox(): string | undefined {
  return missingProgram(PROGRAM, PROGRAM)
}

/** Debian's Firefox, driven by WebDriver BiDi. Ends with the scope that holds it. */
export class Firefox implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #bidi: BidiConnection

  private constructor(child: ChildProcess, bidi: BidiConnection) {
    this.#child = child
    this.#bidi = bidi
  }

  /** `directory` gets its profile. */
  static async start(directory: string): Promise<Firefox> {
    const profile = join(directory, 'profile')
    mkdirSync(profile, { recursive: true })
    const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`)
    writeFileSync(join(profile, 'user.js'), lines.join('\n'))
    const port = await freePort()
    const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', String(port)]
    const child = spawn(PROGRAM, [...args, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, HOME: directory, MOZ_CRASHREPORTER_DISABLE: '1' },
    })
    killOnExit(child)
    let output = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (output += text))
    await eventually('Firefox', () => /WebDriver BiDi listening/.test(output) || undefined, START_MS_MAX).catch(
      (error: unknown) => {
        child.kill('SIGKILL')
        throw new Error(`Firefox did not start: ${output.slice(-2_000)}`, { cause: error })
      },
    )
    const bidi = await BidiConnection.open(`ws://127.0.0.1:${port}/session`)
    await bidi.send('session.new', { capabilities: {} })
    await bidi.send('session.subscribe', { events: ['log.entryAdded'] })
    return new Firefox(child, bidi)
  }

  /** Opens a page of its own and does something with it. Fails, besides with that, with every error of the page. */
  async visit<T>(url: string, act: (page: DrivenPage) => Promise<T>): Promise<T> {
    const { userContext } = await this.#bidi.send('browser.createUserContext', {})
    const { context } = await this.#bidi.send('browsingContext.create', { type: 'tab', userContext })
    const problems: string[] = []
    const stop = this.#bidi.onError(String(context), (text) => problems.push(text))
    try {
      const page = new DrivenPage(new BidiPage(this.#bidi, String(context)))
      await page.goTo(url)
      const result = await act(page).catch(async (error: unknown) => {
        throw new Error(`${String(error)}\nat ${await page.describe()}\nproblems: ${problems.join('\n') || 'none'}`, {
          cause: error,
        })
      })
      if (problems.length > 0) throw new Error(`the page is not clean:\n${problems.join('\n')}`)
      return result
    } finally {
      stop()
      await this.#bidi.send('browser.removeUserContext', { userContext })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#bidi.send('browser.close', {}).catch(() => undefined) // it may close the connection before the reply
    this.#bidi.close()
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill('SIGTERM')
    await once(this.#child, 'exit')
  }
}

class BidiPage implements PageDriver {
  readonly #bidi: BidiConnection
  readonly #context: string

  constructor(bidi: BidiConnection, context: string) {
    this.#bidi = bidi
    this.#context = context
  }

  async goTo(url: string): Promise<void> {
    await this.#bidi.send('browsingContext.navigate', { context: this.#context, url, wait: 'complete' })
  }

  async reload(): Promise<void> {
    await this.#bidi.send('browsingContext.reload', { context: this.#context, wait: 'complete' })
  }

  async goBack(): Promise<void> {
    await this.#bidi.send('browsingContext.traverseHistory', { context: this.#context, delta: -1 })
  }

  async evaluate(expression: string): Promise<unknown> {
    const reply = await this.#bidi.send('script.evaluate', {
      expression: `(async () => JSON.stringify((await (${expression})) ?? null))()`,
      target: { context: this.#context },
      awaitPromise: true,
    })
    const { type, result, exceptionDetails } = reply as {
      readonly type: string
      readonly result?: { readonly value: string }
      readonly exceptionDetails?: { readonly text: string }
    }
    if (type !== 'success') throw new Error(`in the page: ${exceptionDetails?.text}`)
    return JSON.parse(result?.value ?? 'null')
  }

  async perform(source: object): Promise<void> {
    await this.#bidi.send('input.performActions', { context: this.#context, actions: [source] })
  }
}
