import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refuseOpenNewHome, refuseOpenPage } from '../../../src/main/home/open-page.ts'
import { newConfig } from '../../support/config.ts'

const OPEN = newConfig().gui
const GUARDED = { ...OPEN, user: 'ann', password: '$2a$10$x' }

test('a container does not open its page to the network without a password', () => {
  for (const address of ['0.0.0.0:8384', ':8384', '[::]:8384', 'https://192.0.2.1:8384', 'http://example.org:80']) {
    assert.throws(() => refuseOpenPage(undefined, address), /generate --gui-user/, address)
    assert.throws(() => refuseOpenPage(OPEN, address), /no password is set/, address)
    assert.throws(() => refuseOpenPage({ ...OPEN, address }, undefined), /no password is set/, address)
    assert.throws(() => refuseOpenPage({ ...GUARDED, password: '' }, address), /no password is set/, address)
    refuseOpenPage(GUARDED, address)
    refuseOpenPage({ ...OPEN, enabled: false, address }, undefined)
  }
  for (const address of ['127.0.0.1:8384', '[::1]:8384', 'localhost:8384', 'unix:///run/x.sock', '/run/x.sock']) {
    refuseOpenPage(undefined, address)
    refuseOpenPage(OPEN, address)
  }
  refuseOpenPage(undefined, undefined)
})

test('a new home is not created with an open page', () => {
  assert.throws(() => refuseOpenNewHome('0.0.0.0:8384'), /no password is set; .*generate.*--allow-open-gui/)
  for (const address of [undefined, '127.0.0.1:8384', '/run/x.sock']) {
    assert.doesNotThrow(() => refuseOpenNewHome(address), address)
  }
})
