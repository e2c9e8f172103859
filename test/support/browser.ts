import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import axe from 'axe-core'
import { chromium, type Browser, type BrowserContextOptions, type Page, type Request } from 'playwright-core'
import { missingProgram, offersProgram } from './debian.ts'

const WHOLE = 'chromium'
/** The same engine without the windows and the compositor of a whole browser: less than half the processor time. */
const SHELL = 'chromium-headless-shell'
const START_MS_MAX = 60_000
/** For each single wait; a loaded machine of two cores is slow, a page that never comes is no page. */
const STEP_MS_MAX = 20_000
const PROBLEMS_MAX = 50

/** Nothing of the browser's own business, and no way out of this machine. */
const ARGUMENTS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
]

/** Turns what a foreign script would do, and what the policy refused, into errors that the collector receives. */
const WATCHMAN = `
  for (const name of ['alert', 'confirm', 'prompt']) {
    window[name] = (text) => console.error('SCRIPT RAN: ' + name + '(' + text + ')')
  }
  document.addEventListener('securitypolicyviolation', (event) =>
    console.error('CSP: ' + event.violatedDirective + ' refused ' + event.blockedURI))
`

/**
 * What is missing for browser tests here, or undefined. Installs Debian's Chromium where we may; throws under CI=true.
 * With `TWINFOLD_BROWSER=chromium` it is the whole browser, also where the other one is there.
 */
export function missingBrowser(): string | undefined {
  if (!wantsWhole() && offersProgram(SHELL, SHELL)) return undefined
  return missingProgram(WHOLE, WHOLE)
}

function wantsWhole(): boolean {
  return process.env['TWINFOLD_BROWSER'] === WHOLE
}

export interface VisitOptions {
  readonly url: string
  readonly context?: BrowserContextOptions
  /** Problems that belong to the test, such as a refused login; all others fail it. */
  readonly expected?: readonly RegExp[]
}

/** A page in a context of its own, and everything that went wrong in it so far. */
export interface Visit {
  readonly page: Page
  readonly problems: readonly string[]
}

/** A real browser. Ends with the scope that holds it; what it does besides the tests' pages is nothing. */
export class Chromium implements AsyncDisposable {
  readonly #browser: Browser

  private constructor(browser: Browser) {
    this.#browser = browser
  }

  static async start(): Promise<Chromium> {
    return new Chromium(
      await chromium.launch({
        executablePath: programPath(),
        args: ARGUMENTS,
        chromiumSandbox: false,
        timeout: START_MS_MAX,
        handleSIGINT: false,
        handleSIGTERM: false,
        handleSIGHUP: false,
      }),
    )
  }

  /**
   * Opens a page with nothing remembered from others and does something with it. Fails, besides with what was done,
   * with every error of the page: on its console, in its scripts, refused by its policy, requests to other hosts.
   */
  async visit<T>(options: VisitOptions, act: (visit: Visit) => Promise<T>): Promise<T> {
    const context = await this.#browser.newContext({ locale: 'en-GB', ...options.context })
    try {
      context.setDefaultTimeout(STEP_MS_MAX)
      await context.addInitScript({ content: WATCHMAN })
      const page = await context.newPage()
      const problems = collectProblems(page, new URL(options.url).origin, options.expected ?? [])
      await page.goto(options.url, { waitUntil: 'load' })
      const result = await act({ page, problems }).catch(async (error: unknown) => {
        throw new Error(`${String(error)}\n${await describe(page, problems)}`, { cause: error })
      })
      if (problems.length > 0) throw new Error(`the page is not clean:\n${problems.join('\n')}`)
      return result
    } finally {
      await context.close()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close()
  }
}

function programPath(): string {
  const path = (wantsWhole() ? [WHOLE] : [SHELL, WHOLE])
    .flatMap((program) => (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, program)))
    .find((file) => existsSync(file))
  if (path === undefined) throw new Error(`${WHOLE} is not on the PATH`)
  return path
}

function collectProblems(page: Page, origin: string, expected: readonly RegExp[]): readonly string[] {
  const problems: string[] = []
  const add = (problem: string) => {
    if (problems.length < PROBLEMS_MAX && !expected.some((pattern) => pattern.test(problem))) problems.push(problem)
  }
  page.on('console', (message) => {
    if (message.type() === 'error') add(`console: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => add(`script: ${describeError(error)}`))
  page.on('crash', () => add('the page crashed'))
  page.on('dialog', (dialog) => {
    add(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('popup', (popup) => add(`a window was opened: ${popup.url()}`))
  page.on('request', (request: Request) => {
    const url = new URL(request.url())
    const isInside =
      url.origin === origin ||
      url.protocol === 'data:' ||
      (url.protocol === 'blob:' && url.href.startsWith(`blob:${origin}`))
    if (!isInside) add(`foreign request: ${request.url().slice(0, 200)}`)
  })
  return problems
}

/**
 * All that is known of an error of the page. One without a stack, as of a file that cannot be loaded, has an empty one.
 */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `thrown value ${String(error)}`
  const [text, stack = ''] = [String(error), error.stack]
  return stack.includes(error.message) && stack !== '' ? stack : `${text}\n${stack}`
}

/** The visible state of the page, for the report of a failed test. */
async function describe(page: Page, problems: readonly string[]): Promise<string> {
  const text = await page
    .locator('body')
    .innerText({ timeout: 1_000 })
    .catch(() => 'nothing')
  return `at ${page.url()}\nproblems: ${problems.join('\n') || 'none'}\nthe page shows:\n${text.slice(0, 3_000)}`
}

interface AxeFinding {
  readonly id: string
  readonly impact: string | null
  readonly help: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/**
 * Accessibility: the serious and critical findings of axe-core, as text. Of all
 * its rules, or of those named.
 */
export async function accessibilityFindings(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })
  // Not as an element of the page: its policy would rightly refuse that. It stays until another document is loaded.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(`${axe.source};undefined`)
  const findings: readonly AxeFinding[] = await page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  )
  return findings
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, impact, help, nodes }) => {
      const where = nodes
        .slice(0, 3)
        .map(({ html, failureSummary = '' }) => `  ${html.slice(0, 200)}\n  ${failureSummary}`)
      return `${impact} ${id}: ${help} (${nodes.length})\n${where.join('\n')}`
    })
}
