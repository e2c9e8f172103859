import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContextOptions } from 'playwright-core'
import { Chromium } from '../../test/support/browser.ts'
import { atRest } from '../../test/support/views.ts'
import type { Rig } from './build.ts'

const WIDTHS = [1_440, 1_024, 390] as const
const HEIGHT = 900
const PHONE_MAX = 500
/** Numbers of the first responses settle. */
const SETTLE_MS = 400

const PAGES: Readonly<Record<string, string>> = {
  overview: '',
  attention: 'attention',
  folders: 'folders',
  devices: 'devices',
  changes: 'changes',
  log: 'log',
  settings: 'settings',
  files: 'folders/odd-names/files',
  album: 'folders/album/files',
  file: `folders/album/files/${encodeURIComponent('2024/picture 00003.txt')}`,
  large: 'folders/measurements/files',
  waiting: 'folders/archive/waiting',
  problems: 'folders/full-disk/problems',
  conflicts: 'folders/odd-names/problems',
  versions: 'folders/documents/versions',
  local: 'folders/receive-only/local',
  stopped: 'folders/usb-disk',
  ignores: 'folders/projects/ignores',
  device: 'devices',
  offline: 'devices',
  'settings-page': 'settings/gui',
  connections: 'settings/connections',
  discovery: 'settings/network',
  defaults: 'settings/defaults',
  advanced: 'settings/advanced',
}

/** Pages with an ID in their address are opened by the name of the device. */
const DEVICES: Readonly<Record<string, string>> = { device: 'nas', offline: 'phone' }

/** Pictures of every page, light and dark, in three widths. */
export async function takePictures({ desk }: Rig, directory: string): Promise<void> {
  mkdirSync(directory, { recursive: true })
  await using browser = await Chromium.start()
  for (const width of WIDTHS) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context: BrowserContextOptions = {
        viewport: { width, height: HEIGHT },
        colorScheme,
        isMobile: width < PHONE_MAX,
        reducedMotion: 'reduce',
      }
      await browser.visit({ url: `${desk.daemon.url}/`, context }, async ({ page }) => {
        await atRest(page)
        await page.waitForTimeout(SETTLE_MS)
        for (const [name, place] of Object.entries(PAGES)) {
          await page.goto('about:blank') // a new page: no dialog of the last one
          await page.goto(`${desk.daemon.url}/#/${place}`)
          await atRest(page)
          const link = DEVICES[name]
          if (link !== undefined) await page.getByRole('main').getByRole('link', { name: link }).first().click()
          await page.mouse.move(0, 0) // no row under the pointer
          await atRest(page)
          await page.waitForTimeout(SETTLE_MS)
          await page.screenshot({ path: join(directory, `${name}-${width}-${colorScheme}.png`) })
        }
      })
    }
  }
}
