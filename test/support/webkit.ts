import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync } from 'node:fs'
import { missingProgram, required } from './debian.ts'
import { DrivenPage, type PageDriver } from './driven-page.ts'
import { freePort } from './free-port.ts'
import { killOnExit } from './kill-on-exit.ts'
import { eventually } from './scratch.ts'

const DRIVER = 'WebKitWebDriver'
const DISPLAY_SERVER = 'Xvfb'
const START_MS_MAX = 60_000
const COMMAND_MS_MAX = 60_000

/** Collects the errors of the page from here on; its scripts have begun already. */
const COLLECT = `(() => {
  window.problems = []
  addEventListener('error', (event) => window.problems.push('script: ' + event.message))
  addEventListener('unhandledrejection', (event) => window.problems.push('promise: ' + event.reason))
  addEventListener('securitypolicyviolation', (event) => window.problems.push('policy: ' + event.violatedDirective))
})()`

/** What is missing for tests with WebKit here, or undefined. Installs it where we may; throws under CI=true. */
export function missingWebKit(): string | undefined {
  const program = missingProgram(DRIVER, 'webkit2gtk-driver') ?? missingProgram(DISPLAY_SERVER, 'xvfb')
  return program ?? (browserPath() === undefined ? required('the MiniBrowser of WebKitGTK is missing') : undefined)
}

/** Part of the library's package. */
function browserPath(): string | undefined {
  return globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser')[0]
}

type Command = (method: 'POST' | 'GET' | 'DELETE', path: string, body?: object) => Promise<unknown>

/** The small browser of WebKitGTK on a screen of its own, driven by WebDriver. Ends with the scope that holds it. */
export class WebKit implements AsyncDisposable {
  readonly #programs: readonly ChildProcess[]
  readonly #command: Command

  private constructor(programs: readonly ChildProcess[], command: Command) {
    this.#programs = programs
    this.#command = command
  }

  /** `directory` gets its files. */
  static async start(directory: string): Promise<WebKit> {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const screen = spawn(DISPLAY_SERVER, ['-displayfd', '1', '-screen', '0', '1280x1000x24', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    killOnExit(screen)
    let display = ''
    screen.stdout?.setEncoding('utf8').on('data', (text: string) => (display += text))
    await eventually('a screen', () => display.endsWith('\n') || undefined, START_MS_MAX)
    const port = await freePort()
    const env = {
      ...process.env,
      DISPLAY: `:${display.trim()}`,
      HOME: directory,
      XDG_RUNTIME_DIR: directory,
      LANG: 'en_GB.UTF-8',
      LANGUAGE: 'en_GB',
      GTK_A11Y: 'none',
      NO_AT_BRIDGE: '1',
    }
    const driver = spawn(DRIVER, [`--port=${port}`, '--host=127.0.0.1'], { stdio: 'ignore', env })
    killOnExit(driver)
    const command = commandsOf(`http://127.0.0.1:${port}`)
    await eventually('WebKit', () => command('GET', '/status').catch(() => undefined), START_MS_MAX)
    return new WebKit([driver, screen], command)
  }

  /** Opens a page with nothing remembered from others. Fails, besides with what is done, with errors of the page. */
  async visit<T>(url: string, act: (page: DrivenPage) => Promise<T>): Promise<T> {
    const options = { binary: browserPath(), args: ['--automation'] }
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } }
    const { sessionId } = (await this.#command('POST', '/session', { capabilities })) as { readonly sessionId: string }
    const session = `/session/${sessionId}`
    try {
      const page = new DrivenPage(
        new WebDriverPage((method, path, body) => this.#command(method, session + path, body)),
      )
      await page.goTo(url)
      const result = await act(page).catch(async (error: unknown) => {
        throw new Error(`${String(error)}\nat ${await page.describe()}`, { cause: error })
      })
      const problems = (await page.evaluate('window.problems')) as readonly string[]
      if (problems.length > 0) throw new Error(`the page is not clean:\n${problems.join('\n')}`)
      return result
    } finally {
      await this.#command('DELETE', session).catch(() => undefined) // the browser may have ended
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const program of this.#programs) {
      if (program.exitCode !== null || program.signalCode !== null) continue
      program.kill('SIGTERM')
      await once(program, 'exit')
    }
  }
}

function commandsOf(origin: string): Command {
  return async (method, path, body) => {
    const reply = await fetch(`${origin}${path}`, {
      method,
      signal: AbortSignal.timeout(COMMAND_MS_MAX),
      ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
    })
    const { value } = (await reply.json()) as { readonly value: unknown }
    if (!reply.ok) throw new Error(`${method} ${path.replace(/^\/session\/[^/]+/, '')}: ${JSON.stringify(value)}`)
    return value
  }
}

class WebDriverPage implements PageDriver {
  readonly #command: Command

  constructor(command: Command) {
    this.#command = command
  }

  async goTo(url: string): Promise<void> {
    await this.#command('POST', '/url', { url })
    await this.evaluate(COLLECT)
  }

  async reload(): Promise<void> {
    await this.#command('POST', '/refresh')
    await this.evaluate(COLLECT)
  }

  async goBack(): Promise<void> {
    await this.#command('POST', '/back')
  }

  async evaluate(expression: string): Promise<unknown> {
    const script = `const done = arguments[arguments.length - 1]
      Promise.resolve().then(async () => JSON.stringify((await (${expression})) ?? null))
        .then((value) => done({ value }), (error) => done({ error: String(error) }))`
    const outcome = await this.#command('POST', '/execute/async', { script, args: [] })
    const { value, error } = outcome as { readonly value?: string; readonly error?: string }
    if (error !== undefined) throw new Error(`in the page: ${error}`)
    return JSON.parse(value ?? 'null')
  }

  async perform(source: object): Promise<void> {
    await this.#command('POST', '/actions', { actions: [source] })
  }
}
