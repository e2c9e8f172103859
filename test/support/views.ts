import type { Page } from 'playwright-core'

const VIEWS_MAX = 150

export interface CrawlOptions {
  /** Whether a link is followed, by what stands behind the origin; default: all. */
  readonly follow?: (path: string) => boolean
}

/**
 * Opens everything that a user can reach by following links of the page into itself; its tabs are links, too. `look`
 * is called at each of them, once it has come to rest. Returns their addresses.
 */
export async function everyView(
  page: Page,
  look: (view: string) => Promise<void>,
  options: CrawlOptions = {},
): Promise<readonly string[]> {
  const origin = new URL(page.url()).origin
  const views: string[] = []
  const waiting = ['/#/']
  const known = new Set(waiting)
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (views.length >= VIEWS_MAX) throw new Error(`more than ${VIEWS_MAX} views: ${views.slice(-5).join(', ')}`)
    await page.goto(`${origin}${path}`, { waitUntil: 'load' })
    await atRest(page)
    views.push(path)
    await look(path)
    for (const href of await linksOf(page)) {
      const next = href.slice(origin.length)
      if (!href.startsWith(`${origin}/#/`) || known.has(next) || options.follow?.(next) === false) continue
      known.add(next)
      waiting.push(next)
    }
  }
  return views
}

async function linksOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(`[...document.querySelectorAll('a[href]')].map((link) => link.href)`)
}

const TWO_FRAMES = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))'

/** The page has followed its address, has content, and shows no loading state. */
export async function atRest(page: Page): Promise<void> {
  await page.getByRole('main').waitFor()
  await page.evaluate(TWO_FRAMES)
  // Not waitForFunction: its polling is refused by the policy of the page.
  await page.locator('.skeleton, [aria-busy="true"]').first().waitFor({ state: 'detached' })
}
