import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import { BidiConnection } from './bidi.ts'
import { missingProgram } from './debian.ts'
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
  async visit<T>(url: string, act: (page: FirefoxPage) => Promise<T>): Promise<T> {
    const { userContext } = await this.#bidi.send('browser.createUserContext', {})
    const { context } = await this.#bidi.send('browsingContext.create', { type: 'tab', userContext })
    const problems: string[] = []
    const stop = this.#bidi.onError(String(context), (text) => problems.push(text))
    try {
      const page = new FirefoxPage(this.#bidi, String(context))
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

/** Keys as WebDriver names them. */
const KEYS: Readonly<Record<string, string>> = {
  Backspace: '\uE003',
  Tab: '\uE004',
  Enter: '\uE007',
  Shift: '\uE008',
  Control: '\uE009',
  Escape: '\uE00C',
  ArrowUp: '\uE013',
  ArrowRight: '\uE014',
  ArrowDown: '\uE015',
}

/** Finds an element in sight by its role's selector and its name, as a user does. */
const FIND = `(selector, name) => [...document.querySelectorAll(selector)].find((element) => {
  const named = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent
  return named.trim() === name && element.checkVisibility() && element.closest('[inert]') === null
})`

/** One page in Firefox. Every wait is for a condition. */
export class FirefoxPage {
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

  /** The value of an expression or promise in the page, as JSON carries it. */
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

  /** Resolves when the expression is true in the page. */
  async until(what: string, expression: string): Promise<void> {
    await eventually(what, async () => ((await this.evaluate(expression)) === true ? true : undefined), 30_000)
  }

  async untilText(text: string): Promise<void> {
    await this.until(`the text ${text}`, `document.body.innerText.includes(${JSON.stringify(text)})`)
  }

  async untilNoDialog(): Promise<void> {
    await this.until('no open dialog', `document.querySelector('dialog[open]') === null`)
  }

  /** Clicks at the middle of the element with this selector and name, once it is there. */
  async click(selector: string, name: string): Promise<void> {
    const call = `(${FIND})(${JSON.stringify(selector)}, ${JSON.stringify(name)})`
    await this.until(`${selector} "${name}"`, `${call} !== undefined`)
    const { x, y } = (await this.evaluate(
      `(() => { const element = ${call}; element.scrollIntoView({ block: 'center' })
        const box = element.getBoundingClientRect()
        return { x: box.x + box.width / 2, y: box.y + box.height / 2 } })()`,
    )) as { readonly x: number; readonly y: number }
    const move = { type: 'pointerMove', x: Math.round(x), y: Math.round(y) }
    const actions = [move, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }]
    await this.#perform({ type: 'pointer', id: 'mouse', actions })
  }

  /** Replaces what the field with this label holds. */
  async fill(label: string, text: string): Promise<void> {
    await this.click('input, textarea', label)
    await this.press('Control+a')
    await this.press('Backspace')
    await this.type(text)
  }

  async type(text: string): Promise<void> {
    const actions = [...text].flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ])
    await this.#perform({ type: 'key', id: 'keyboard', actions })
  }

  /** One key, or several at once: `Control+k`. */
  async press(keys: string): Promise<void> {
    const values = keys.split('+').map((key) => KEYS[key] ?? key)
    const down = values.map((value) => ({ type: 'keyDown', value }))
    const up = values.toReversed().map((value) => ({ type: 'keyUp', value }))
    await this.#perform({ type: 'key', id: 'keyboard', actions: [...down, ...up] })
  }

  /** The serious and critical findings of axe-core, by rule. */
  async accessibilityFindings(): Promise<unknown> {
    await this.evaluate(`(() => { ${axe.source}; return true })()`)
    return this.evaluate(`window.axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 200)).join(' | ')))`)
  }

  /** What the page shows, for the report of a failed test. */
  async describe(): Promise<string> {
    return String(
      await this.evaluate(`location.href + '\\n' + document.body.innerText.slice(0, 3000)`).catch((error: unknown) =>
        String(error),
      ),
    )
  }

  async #perform(source: object): Promise<void> {
    await this.#bidi.send('input.performActions', { context: this.#context, actions: [source] })
  }
}
