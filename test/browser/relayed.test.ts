/** The page of a device behind a real router, connected through a real relay: how it is reached, and by what. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { accessibilityFindings, Chromium, missingBrowser } from '../support/browser.ts'
import { socketProxy } from '../support/socket-proxy.ts'
import { Lan } from '../support/lan.ts'
import { LanDevice } from '../support/lan-device.ts'
import { missingRouter, Router } from '../support/miniupnpd.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { RelayServer } from '../support/strelaysrv.ts'
import { missingSyncthing, quietConfig } from '../support/syncthing.ts'
import { atRest } from '../support/views.ts'

const skip = missingBrowser() ?? missingSyncthing() ?? missingRouter() ?? false

test('a relayed connection, the joined relay and the mapped port are shown', { skip }, async () => {
  using scratch = scratchDirectory()
  await using lan = await Lan.make('10.78.3')
  await using wan = await Lan.make('44.128.3') // the router maps no ports if its external address is a private one
  await using router = await Router.start(lan, wan, 'PCP', scratch.path)
  const [inside, outside, relayHost] = [await lan.addHost(), await wan.addHost(), await wan.addHost()]
  router.serve(inside)
  await using relay = new RelayServer(relayHost, scratch.path)
  const address = await relay.start()
  await using a = new LanDevice('twinfold', inside, join(scratch.path, 'a'))
  await using b = new LanDevice('twinfold', outside, join(scratch.path, 'b'))
  const common = { relaysEnabled: 'true', reconnectionIntervalS: '5', relayReconnectIntervalM: '1' }
  quietConfig(a.home, { ...common, listenAddress: 'tcp://0.0.0.0:22000', natEnabled: 'true', natTimeoutSeconds: '5' })
  quietConfig(b.home, { ...common, listenAddress: 'tcp://127.0.0.1:22000' })
  a.addDevice(b.id)
  b.addDevice(a.id, address)
  a.start()
  await a.ready()
  await a.patch('/rest/config/options', { listenAddresses: ['tcp://0.0.0.0:22000', address] })
  b.start()
  await b.ready()
  const idB = b.id
  await a.until('the connection', async () => (await a.isConnectedTo(idB)) || undefined)
  await using door = await socketProxy(join(a.home, 'gui.sock'))
  await using browser = await Chromium.start()
  const pictures = process.env['TWINFOLD_PICTURES']
  const visit = (place: string, act: Parameters<Chromium['visit']>[1]) =>
    browser.visit({ url: `${door.url}/#/${place}` }, async (visited) => {
      await atRest(visited.page)
      await act(visited)
      assert.deepEqual(await accessibilityFindings(visited.page), [])
      const path = join(pictures ?? '', `${place.replaceAll('/', '-').slice(0, 16)}.png`)
      if (pictures !== undefined) await visited.page.screenshot({ path, fullPage: true })
    })
  await visit(`devices/${idB}`, async ({ page }) => {
    await page.getByRole('main').getByText('Relay', { exact: false }).first().waitFor()
    await page.getByText(`${relayHost.address}:22067`).first().waitFor()
  })
  await visit('settings/network', async ({ page }) => {
    const state = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Status', level: 2 }) })
    const lines = state.getByRole('listitem')
    await lines
      .filter({ hasText: `relay://${relayHost.address}:22067` })
      .filter({ hasText: 'working' })
      .waitFor()
    await lines
      .filter({ hasText: 'PCP 10.78.3.1' })
      .filter({ hasText: /44\.128\.3\.1:\d+/ })
      .waitFor()
  })
})
