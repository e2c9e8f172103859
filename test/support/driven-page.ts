import axe from 'axe-core'
import { eventually } from './scratch.ts'

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

/** What drives one page of a browser. */
export interface PageDriver {
  goTo(url: string): Promise<void>
  reload(): Promise<void>
  goBack(): Promise<void>
  /** The value of an expression or promise in the page, as JSON carries it. */
  evaluate(expression: string): Promise<unknown>
  /** Performs the actions of one input source of WebDriver. */
  perform(source: object): Promise<void>
}

/** One page in a browser, as a user uses it. Every wait is for a condition. */
export class DrivenPage {
  readonly #driver: PageDriver

  constructor(driver: PageDriver) {
    this.#driver = driver
  }

  async goTo(url: string): Promise<void> {
    await this.#driver.goTo(url)
  }

  async reload(): Promise<void> {
    await this.#driver.reload()
  }

  async goBack(): Promise<void> {
    await this.#driver.goBack()
  }

  async evaluate(expression: string): Promise<unknown> {
    return this.#driver.evaluate(expression)
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
    await this.#driver.perform({ type: 'pointer', id: 'mouse', actions })
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
    await this.#driver.perform({ type: 'key', id: 'keyboard', actions })
  }

  /** One key, or several at once: `Control+k`. */
  async press(keys: string): Promise<void> {
    const values = keys.split('+').map((key) => KEYS[key] ?? key)
    const down = values.map((value) => ({ type: 'keyDown', value }))
    const up = values.toReversed().map((value) => ({ type: 'keyUp', value }))
    await this.#driver.perform({ type: 'key', id: 'keyboard', actions: [...down, ...up] })
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
}
